import { useState } from 'preact/hooks';
import { html } from '../../frame/html.ts';
import { Act } from '../../parts/act.ts';
import { Dialog } from '../../parts/dialog.ts';
import { Notice } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import { Table, type Column } from '../../parts/table.ts';
import type { Reloaded } from '../../frame/wire.ts';

/** Reads platform.json again, and shows what changed. */
export function Reload({ onDone }: { readonly onDone: () => void }) {
  const [found, setFound] = useState<Reloaded>();
  const done = (answer: Reloaded): void => {
    setFound(answer);
    onDone();
  };
  return html`<${Act}
      label="Reload platform.json"
      says=${html`<p>
        Reads providers, their settings and their order again. A changed provider is tested before it becomes active;
        the old one finishes its runs. A file with errors is not applied.
      </p>`}
      call=${{ method: 'POST', path: '/config/reload' }}
      onDone=${done}
      done="platform.json was reloaded"
    />
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
        ${
          found.restart_required.length > 0 &&
          html`<${Notice} tone="warn">
            <p>
              These settings changed. They take effect after a restart:
              ${found.restart_required.map((name) => html`<code>${name}</code> `)}
            </p>
          <//>`
        }
        <div class="row end">
          <button class="button" type="button" onClick=${() => setFound(undefined)}>Close</button>
        </div>
      <//>`
    }`;
}

const columns: readonly Column<Reloaded['providers'][number]>[] = [
  { title: 'Provider', cell: ({ provider }) => provider },
  { title: 'Change', cell: ({ change }) => html`<${Status} of=${change} />` },
  { title: 'Orb', cell: ({ orb_id }) => orb_id },
  { title: 'Reason', cell: ({ reason }) => reason ?? '' },
];
