import type { Call } from '../../frame/api.ts';
import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { useGet } from '../../frame/resource.ts';
import { go, hrefOf } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import type { OrbDetail } from '../../frame/wire.ts';
import { loaded } from '../../parts/notice.ts';
import { orbHref } from './list.ts';
import { ManifestEditor } from './manifest-editor.ts';
import { nextVersion } from './words.ts';

const text = { type: 'string', maxLength: 1000 };
const schemaOf = (property: object): object => ({
  ...{ type: 'object', additionalProperties: false, required: ['text'] },
  properties: { text: property },
});
const first = {
  ...{ manifest_version: 1, orb_id: 'acme.hello@1.0.0', title: 'Say hello' },
  ...{ description: 'Answers with the text that it was given.', capability: 'echo' },
  inputs_schema: schemaOf({ ...text, title: 'Text', examples: ['Hello'] }),
  outputs_schema: schemaOf(text),
  ...{ effect: 'none', action_class: 'read', timeout_ms: 5000 },
};

/** Adds an Orb, from the beginning or as a new version of another one. */
export function NewOrb({ query: { from } }: ScreenProps) {
  const reading = useGet<OrbDetail>(from === undefined ? undefined : `/orbs/${encodeURIComponent(from)}`);
  const edit = (start: object) =>
    html`<${OrbEditor}
      name=${`new ${from ?? ''}`}
      start=${start}
      back=${from === undefined ? '/orbs' : `/orbs/${encodeURIComponent(from)}`}
      onOvertaken=${reading.reload}
    />`;
  return html`<${Page}
    title=${from === undefined ? 'New Orb' : 'New version'}
    above=${{ href: hrefOf('/orbs'), name: 'Orbs' }}
    about="A manifest declares what callers can run, and what a provider must do."
  >
    ${
      from === undefined
        ? edit(first)
        : loaded(reading, ({ manifest }) => edit({ ...manifest, orb_id: nextVersion(manifest.orb_id) }))
    }
  <//>`;
}

/** Edits an Orb that is kept in the store. */
export function EditOrb({ params: { orb_id: id = '' } }: ScreenProps) {
  const reading = useGet<OrbDetail>(`/orbs/${encodeURIComponent(id)}`);
  return html`<${Page}
    title=${`Edit ${reading.value?.manifest.title ?? id}`}
    above=${{ href: orbHref(id), name: id }}
    about="A manifest that a run has used cannot change: give it a new version then."
  >
    ${loaded(
      reading,
      (of) =>
        html`<${OrbEditor}
          name=${id}
          stored=${of}
          back=${`/orbs/${encodeURIComponent(id)}`}
          onOvertaken=${reading.reload}
        />`,
    )}
  <//>`;
}

interface OrbEditorProps {
  readonly name: string;
  readonly stored?: OrbDetail;
  readonly start?: object;
  readonly back: string;
  readonly onOvertaken: () => void;
}

function OrbEditor({ name, stored, start, back, onOvertaken }: OrbEditorProps) {
  const putting = (value: object): { readonly id: string; readonly call: Call } | undefined => {
    const { orb_id: id } = value as { readonly orb_id?: unknown };
    if (typeof id !== 'string' || id === '') return undefined;
    const condition: Readonly<Record<string, string>> =
      id === stored?.manifest.orb_id ? { 'If-Match': `"${stored.manifest_digest}"` } : { 'If-None-Match': '*' };
    return { id, call: { method: 'PUT', path: `/orbs/${encodeURIComponent(id)}`, headers: condition, body: value } };
  };
  return html`<${ManifestEditor}
    name=${`orb ${name}`}
    before=${stored?.manifest}
    start=${start}
    putting=${putting}
    idMember="orb_id"
    says=${html`<p>
      Callers whose keys and Orbisets cover it can run it at once, at each node. After its first run the manifest cannot
      change.
    </p>`}
    back=${back}
    onDone=${(value: object) => go(orbHref((value as { readonly orb_id: string }).orb_id))}
    onOvertaken=${onOvertaken}
  />`;
}
