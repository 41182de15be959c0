import { useState } from 'preact/hooks';
import { html } from '../../frame/html.ts';
import { useGet } from '../../frame/resource.ts';
import { ActDialog } from '../../parts/act.ts';
import { Dialog } from '../../parts/dialog.ts';
import { loaded, Notice } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import { Table, type Column } from '../../parts/table.ts';
import type { ConfigChanges, Reloaded } from '../../frame/wire.ts';

/** Reads platform.json again after showing what would change, and shows what changed. */
export function Reload({ onDone }: { readonly onDone: () => void }) {
  const [open, setOpen] = useState(false);
  const [found, setFound] = useState<Reloaded>();
  const done = (answer: Reloaded): void => {
    setFound(answer);
    onDone();
  };
  return html`<button class="button button-quiet" type="button" onClick=${() => setOpen(true)}>
      Reload platform.json
    </button>
    ${open && html`<${ReloadDialog} onDone=${done} onClose=${() => setOpen(false)} />`}
    ${
      found &&
      html`<${Dialog} title="platform.json was reloaded" onClose=${() => setFound(undefined)}>
        <${Table}
          caption="Changes"
          columns=${columns}
          rows=${found.providers}
          rowKey=${({ orb_id, provider }: Reloaded['providers'][number]) => `${orb_id} ${provider}`}
          empty=${html`<p>No providers changed.</p>`}
        />
        <${Restart} of=${found.restart_required} />
        <div class="row end">
          <button class="button" type="button" onClick=${() => setFound(undefined)}>Close</button>
        </div>
      <//>`
    }`;
}

interface ReloadDialogProps {
  readonly onDone: (answer: Reloaded) => void;
  readonly onClose: () => void;
}

function ReloadDialog(props: ReloadDialogProps) {
  const reading = useGet<ConfigChanges>('/config/changes');
  return html`<${ActDialog}
    label="Reload platform.json"
    says=${html`<p>
      Reads providers, their settings and their order again. A changed provider is tested before it becomes active; the
      old one finishes its runs. A file with errors is not applied.
    </p>`}
    call=${{ method: 'POST', path: '/config/reload' }}
    missing=${reading.loading ? 'Comparing the file with what is in use…' : undefined}
    done="platform.json was reloaded"
    ...${props}
  >
    ${loaded(reading, (of) => html`<${Preview} of=${of} />`, 'Comparing')}
  <//>`;
}

function Preview({ of: { orders, providers, restart_required } }: { readonly of: ConfigChanges }) {
  if (providers.length + orders.length + restart_required.length === 0)
    return html`<p>The file has no changes: a reload changes nothing.</p>`;
  return html`<div class="stack">
    ${
      providers.length > 0 &&
      html`<${Table}
        caption="What a reload changes"
        columns=${previewColumns}
        rows=${providers}
        rowKey=${({ provider }: PreviewRow) => provider}
      />`
    }
    ${orders.map(({ after, orb_id }) => html`<p key=${orb_id}>New order of <code>${orb_id}</code>: ${after.join(', ') || 'no provider'}</p>`)}
    <${Restart} of=${restart_required} />
  </div>`;
}

type PreviewRow = ConfigChanges['providers'][number];

const previewColumns: readonly Column<PreviewRow>[] = [
  { title: 'Provider', cell: ({ provider }) => provider },
  { title: 'Change', cell: ({ change }) => html`<${Status} of=${change} />` },
  {
    title: 'Settings',
    cell: ({ adapter, members }) =>
      members.length === 0
        ? html`<code>${adapter}</code>`
        : members.map(({ change, pointer }) => html`<div><code>${pointer}</code> ${change}</div>`),
  },
];

function Restart({ of }: { readonly of: readonly string[] }) {
  if (of.length === 0) return null;
  return html`<${Notice} tone="warn">
    <p>These settings changed. They take effect after a restart: ${of.map((name) => html`<code>${name}</code> `)}</p>
  <//>`;
}

const columns: readonly Column<Reloaded['providers'][number]>[] = [
  { title: 'Provider', cell: ({ provider }) => provider },
  { title: 'Change', cell: ({ change }) => html`<${Status} of=${change} />` },
  { title: 'Orb', cell: ({ orb_id }) => orb_id },
  { title: 'Reason', cell: ({ reason }) => reason ?? '' },
];
