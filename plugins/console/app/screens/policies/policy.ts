import { useEffect, useState } from 'preact/hooks';
import { onSubmit } from '../../frame/call.ts';
import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { asProblem, type ApiProblem } from '../../frame/problem.ts';
import { go, hrefOf } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { useScope } from '../../frame/session.ts';
import { Act, type ActOn } from '../../parts/act.ts';
import { SelectField, TextField } from '../../parts/field.ts';
import { loaded, Notice } from '../../parts/notice.ts';
import { Facts } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import { readPolicy } from './edit.ts';
import { Editor } from './editor.ts';
import type { PolicyDetail } from '../../frame/wire.ts';

const above = { href: hrefOf('/policies'), name: 'Policies' };

/** Shows one policy: its text, its draft, and how it counts. */
export function PolicyScreen({ params: { id = '' } }: ScreenProps) {
  const [found, setFound] = useState<{ readonly value: PolicyDetail; readonly tag: string | undefined }>();
  // Counts changes made outside the editor, so that the editor starts again.
  const [round, setRound] = useState(0);
  const [problem, setProblem] = useState<ApiProblem>();
  const mayWrite = useScope('policies:write');
  const mayActivate = useScope('policies:activate');
  const read = (): Promise<void> =>
    readPolicy(id).then(
      (answer) => {
        setFound(answer);
        setProblem(undefined);
      },
      (thrown: unknown) => setProblem(asProblem(thrown)),
    );
  const acted = (): void => void read().then(() => setRound((last) => last + 1));
  useEffect(() => {
    setFound(undefined);
    void read();
  }, [id]);
  const policy = found?.value;
  return html`<${Page}
    title=${id}
    above=${above}
    about=${policy?.title ?? policy?.description}
    acts=${
      policy?.active === true &&
      mayActivate &&
      html`<${ChangeMode} of=${policy} onDone=${acted} /><${TakeOut} id=${id} />`
    }
  >
    ${loaded(
      { value: found, problem, reload: acted },
      ({ value, tag }) =>
        html`<${About} of=${value} mayWrite=${mayWrite} onDone=${acted} />
          <${Editor}
            key=${`${id} ${round}`}
            id=${id}
            policy=${value}
            tag=${tag}
            mayWrite=${mayWrite}
            reread=${read}
          />`,
    )}
  <//>`;
}

function About({ of: policy, mayWrite, onDone }: ActOn<PolicyDetail> & { readonly mayWrite: boolean }) {
  const { active, approvers = [], waiting, action = 'every action', mode, owner, severity, path } = policy;
  return html`${
    waiting &&
    html`<${Notice} tone="warn">
      <p>
        ${active ? 'You see the draft. The active version is different.' : 'This is a draft. It is not active.'}${' Saved '}<${Time}
          at=${waiting.updated_at}
        />
        by${' '}<code>${waiting.updated_by}</code>.
      </p>
      <div class="row">
        <a href=${hrefOf('/policies/-/drafts')}>Review and activate</a>
        ${mayWrite && html`<${DropDraft} of=${policy} onDone=${onDone} />`}
      </div>
    <//>`
  }
  ${
    active &&
    html`<${Facts}
      of=${[
        ['Applies to', action],
        ['Mode', mode],
        ['File', path && html`<code>${path}</code>`],
        ['Approval by', approvers.join(', ')],
        ['Owner', owner],
        ['Severity', severity],
      ]}
    />`
  }`;
}

function DropDraft({ of: { id, active }, onDone }: ActOn<PolicyDetail>) {
  return html`<${Act}
    label="Delete the draft"
    says=${html`<p>The draft of <code>${id}</code> is deleted. The active version does not change.</p>`}
    call=${{ method: 'DELETE', path: `/policies/${id}/draft` }}
    danger
    onDone=${() => (active ? onDone() : go(hrefOf('/policies')))}
    done="The draft is deleted"
  />`;
}

const modes = [
  ['enforce', 'enforce: denials block the action'],
  ['warn', 'warn: denials are recorded as warnings'],
  ['shadow', 'shadow: denials are only recorded'],
] as const;

function ChangeMode({ of: { id, mode = 'enforce' }, onDone }: ActOn<PolicyDetail>) {
  const [chosen, setChosen] = useState(mode);
  return html`<${Act}
    label="Change mode"
    says=${html`<p>Activates a new revision with this mode in the METADATA of <code>${id}</code>.</p>`}
    call=${{ method: 'PUT', path: `/policies/${id}/mode`, body: { mode: chosen }, key: true }}
    missing=${chosen === mode ? 'Choose another mode.' : undefined}
    onDone=${onDone}
    done=${`The mode of ${id} is ${chosen}`}
  >
    <${SelectField} label="Mode" value=${chosen} onChange=${setChosen} options=${modes} />
  <//>`;
}

function TakeOut({ id }: { readonly id: string }) {
  return html`<${Act}
    label="Disable"
    says=${html`<p>
      Activates a revision without <code>${id}</code> and its tests. Actions that only this policy allows are then
      denied, and actions that only it denies are allowed. You can roll back.
    </p>`}
    call=${{ method: 'DELETE', path: `/policies/${id}`, key: true }}
    word=${id}
    danger
    onDone=${() => go(hrefOf('/policies'))}
    done=${`${id} is disabled`}
  />`;
}

const template = (id: string): string => `package orb.policies.${id.replaceAll(/[.-]/g, '_')}

deny contains "Say why, and what to do instead." if {
	input.action.name == "execute"
	input.resource.id == "some.orb@1.0.0"
}
`;

/** Writes a new policy. */
export function NewPolicy() {
  const [id, setId] = useState('');
  const [chosen, setChosen] = useState<string>();
  const mayWrite = useScope('policies:write');
  const fits = /^[a-z0-9_][a-z0-9_.-]{0,99}$/.test(id) && !['-', 'validate', 'format', 'test'].includes(id);
  if (chosen !== undefined)
    return html`<${Page}
      title=${chosen}
      above=${above}
      about="A new policy. Saving creates a draft, which is not active."
    >
      <${Editor}
        id=${chosen}
        start=${template(chosen)}
        mayWrite=${mayWrite}
        reread=${() => go(hrefOf(`/policies/${chosen}`), { replace: true })}
      />
    <//>`;
  return html`<${Page} title="New policy" above=${above} about="A policy is one Rego file with a unique name.">
    <form class="panel stack narrow" onSubmit=${onSubmit(() => fits && setChosen(id))}>
      <${TextField}
        label="Name"
        hint="Lower-case letters, digits, _ . and -. The file is named after it."
        error=${id === '' || fits ? undefined : 'Use lower-case letters, digits, _ . and - only.'}
        value=${id}
        onChange=${setId}
        code
      />
      <div class="row end"><button class="button" type="submit" disabled=${!fits}>Continue</button></div>
    </form>
  <//>`;
}
