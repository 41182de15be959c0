import { useState } from 'preact/hooks';
import { html } from '../../frame/html.ts';
import { go, hrefOf } from '../../frame/router.ts';
import { Act, type ActOn } from '../../parts/act.ts';
import { Dialog } from '../../parts/dialog.ts';
import { Once } from './setup.ts';
import { SubjectFields, subjectsOf, typedOf } from './subjects.ts';
import type { ShownOnce, Source } from '../../frame/wire.ts';

/** Sends the example of the vendor, signed, through the front door, and shows what became of it. */
export function TestSource({ id, main = false }: { readonly id: string; readonly main?: boolean }) {
  return html`<${Act}
    label="Send a test"
    main=${main}
    says=${html`<p>
      Signs the vendor's example with the newest secret and sends it to the address of this source. It is marked as a
      test and opens no public incident.
    </p>`}
    call=${{ method: 'POST', path: `/sources/${id}/test` }}
    done="The test was sent"
    onDone=${({ delivery_id }: { readonly delivery_id: string }) => go(hrefOf(`/deliveries/${delivery_id}`))}
  />`;
}

/** The acts on a source. */
export function SourceActs({ of: source, onDone }: ActOn<Source>) {
  const { source_id: id, name, paused } = source;
  const path = `/sources/${id}`;
  const [made, setMade] = useState<ShownOnce>();
  const done = (shown: ShownOnce): void => {
    setMade(shown);
    onDone();
  };
  return html`<${Act}
      label=${paused ? 'Resume' : 'Pause'}
      says=${html`<p>${paused ? 'Stored deliveries are processed now, and new deliveries immediately.' : 'Deliveries are stored, but not processed until you resume. No delivery is lost.'}</p>`}
      call=${{ method: 'PATCH', path, body: { paused: !paused } }}
      onDone=${onDone}
    />
    <${MayName} of=${source} onDone=${onDone} />
    <${Act}
      label="Add a secret"
      says=${html`<p>Adds a second secret. The others stay valid for a day, so that you can change the secret at the vendor without downtime.</p>`}
      call=${{ method: 'POST', path: `${path}/secrets`, body: { retire_others_after_s: 86_400 } }}
      onDone=${({ secret }: ShownOnce) => done(secret === undefined ? {} : { secret })}
    />
    <${Act}
      label="New address"
      says=${html`<p>The source gets a new address. The old one answers 404 at once: deliveries are lost until you enter the new one at the vendor.</p>`}
      call=${{ method: 'POST', path: `${path}/token` }}
      word="renew"
      danger
      onDone=${done}
    />
    <${Act}
      label="Remove"
      title=${`Remove ${name}`}
      says=${html`<p>Its address answers 404 from now on, and its secrets are erased. Its deliveries and incidents stay.</p>`}
      call=${{ method: 'DELETE', path }}
      word="remove"
      danger
      onDone=${() => go(hrefOf('/sources'))}
    />
    ${
      made &&
      html`<${Dialog} title="Copy it now" onClose=${() => setMade(undefined)}>
        <${Once} of=${made} />
        <div class="row end">
          <button class="button" type="button" onClick=${() => setMade(undefined)}>I have saved it</button>
        </div>
      <//>`
    }`;
}

/** Removes one of several secrets of a source. */
export function RemoveSecret({
  of: { id, version },
  onDone,
}: ActOn<{ readonly id: string; readonly version: number }>) {
  return html`<${Act}
    label="Remove"
    title=${`Remove the secret of version ${version}`}
    says=${html`<p>Deliveries that are signed with it are refused from now on. The other secrets stay valid.</p>`}
    call=${{ method: 'DELETE', path: `/sources/${encodeURIComponent(id)}/secrets/${version}` }}
    word="remove"
    danger
    done="The secret was removed"
    onDone=${onDone}
  />`;
}

function MayName({ of: { source_id, may_name }, onDone }: ActOn<Source>) {
  const [typed, setTyped] = useState(() => typedOf(may_name));
  return html`<${Act}
    label="Change what it can report on"
    says=${html`<p>Alerts of this source affect only these components, providers and Orbs. Other names in a delivery are ignored.</p>`}
    call=${{ method: 'PATCH', path: `/sources/${source_id}`, body: { may_name: subjectsOf(typed) } }}
    onDone=${onDone}
  >
    <${SubjectFields} typed=${typed} onChange=${setTyped} />
  <//>`;
}
