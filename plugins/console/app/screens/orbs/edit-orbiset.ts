import type { Call } from '../../frame/api.ts';
import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { useGet } from '../../frame/resource.ts';
import { go, hrefOf } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import type { OrbisetDetail } from '../../frame/wire.ts';
import { loaded } from '../../parts/notice.ts';
import { ManifestEditor } from './manifest-editor.ts';
import { orbisetHref } from './orbisets.ts';

const first = { id: 'team', orbs: ['demo.*'], limits: { rate: { count: 600, window_s: 60 }, concurrency: 20 } };

/** Creates an Orbiset. */
export function NewOrbiset() {
  return html`<${Page}
    title="New Orbiset"
    above=${{ href: hrefOf('/orbisets'), name: 'Orbisets' }}
    about="It belongs to the tenant of your key."
  >
    <${OrbisetEditor} name="new" back="/orbisets" onOvertaken=${() => undefined} />
  <//>`;
}

/** Edits an Orbiset that is kept in the store. */
export function EditOrbiset({ params: { id = '' } }: ScreenProps) {
  const path = `/orbisets/${encodeURIComponent(id)}`;
  const reading = useGet<OrbisetDetail>(path);
  return html`<${Page}
    title=${`Edit ${id}`}
    above=${{ href: orbisetHref(id), name: id }}
    about="Open runs keep the version that they started with."
  >
    ${loaded(
      reading,
      (of) => html`<${OrbisetEditor} name=${`edit ${id}`} stored=${of} back=${path} onOvertaken=${reading.reload} />`,
    )}
  <//>`;
}

interface OrbisetEditorProps {
  readonly name: string;
  readonly stored?: OrbisetDetail;
  readonly back: string;
  readonly onOvertaken: () => void;
}

function OrbisetEditor({ name, stored, back, onOvertaken }: OrbisetEditorProps) {
  const putting = (value: object): { readonly id: string; readonly call: Call } | undefined => {
    const { id } = value as { readonly id?: unknown };
    if (typeof id !== 'string' || id === '') return undefined;
    if (stored === undefined) return { id, call: { method: 'POST', path: '/orbisets', body: value } };
    const headers = { 'If-Match': `"${stored.manifest_digest}"` };
    const path = `/orbisets/${encodeURIComponent(stored.manifest.id)}`;
    return { id, call: { method: 'PUT', path, headers, body: value } };
  };
  return html`<${ManifestEditor}
    name=${`orbiset ${name}`}
    before=${stored?.manifest}
    start=${first}
    putting=${putting}
    idMember="id"
    says=${html`<p>Runs that start after it follow the new manifest, at each node. Open runs keep theirs.</p>`}
    back=${back}
    onDone=${(value: object) => go(orbisetHref((value as { readonly id: string }).id))}
    onOvertaken=${onOvertaken}
  />`;
}
