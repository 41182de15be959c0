import { useState } from 'preact/hooks';
import { html } from '../../frame/html.ts';
import { useGet } from '../../frame/reading.ts';
import { Act } from '../../parts/act.ts';
import { TextField } from '../../parts/field.ts';
import { Loading, ProblemNote } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import { Table, type Column } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import type { SigningKey } from '../../frame/wire.ts';

/** Lists the keys that sign receipts, the log and certificates; an active one can be rotated, any but the log's revoked. */
export function SigningKeys() {
  const { value, problem, reload } = useGet<{ readonly keys: readonly SigningKey[] }>('/signing-keys');
  return html`<section class="stack">
    <div>
      <h2>Signing keys</h2>
      <p class="muted">
        They sign receipts, the log and certificates. To rotate or revoke one, you must enter your own key again.
      </p>
    </div>
    <${ProblemNote} problem=${problem} retry=${reload} />
    ${value === undefined && problem === undefined && html`<${Loading} />`}
    ${
      value &&
      html`<${Table}
        caption="Signing keys"
        columns=${columnsFor(reload)}
        rows=${value.keys}
        rowKey=${({ kid }: SigningKey) => kid}
      />`
    }
  </section>`;
}

const columnsFor = (reload: () => void): readonly Column<SigningKey>[] => [
  { title: 'Signs', cell: ({ role }) => roles[role] },
  { title: 'ID', cell: ({ kid }) => html`<code title=${kid}>${kid.slice(0, 12)}…</code>` },
  { title: 'Status', cell: ({ status }) => html`<${Status} of=${status} />` },
  { title: 'Created', cell: ({ created_at }) => html`<${Time} at=${created_at} />` },
  {
    title: 'Actions',
    cell: (key) =>
      html`<span class="row tight">
        ${key.status === 'active' && html`<${Rotate} of=${key} onDone=${reload} />`}
        ${key.status !== 'revoked' && key.role !== 'log' && html`<${Revoke} of=${key} onDone=${reload} />`}
      </span>`,
  },
];

const roles = { receipt: 'Receipts', log: 'The log', certificate: 'Certificates' } as const;

interface ChangeProps {
  readonly of: SigningKey;
  readonly onDone: () => void;
}

function Rotate({ of: { role }, onDone }: ChangeProps) {
  const [reason, setReason] = useState('');
  const more = role === 'log' ? ' A new log is opened; the old one stays readable.' : '';
  return html`<${Act}
    label="Rotate"
    title=${`Rotate the key of ${roles[role].toLowerCase()}`}
    says=${html`<p>A new key signs from now on. Signatures of the old key stay valid. The log records the change.${more}</p>`}
    call=${{
      method: 'POST',
      path: '/signing-keys/rotate',
      body: { role, ...(reason.trim() === '' ? {} : { reason: reason.trim() }) },
      key: true,
    }}
    word="rotate"
    onDone=${onDone}
  >
    <${TextField}
      label="Reason"
      hint="Public: it is in the log."
      value=${reason}
      onChange=${setReason}
      required=${false}
    />
  <//>`;
}

function Revoke({ of: { kid, role }, onDone }: ChangeProps) {
  const [reason, setReason] = useState('');
  return html`<${Act}
    label="Revoke"
    title=${`Revoke a key of ${roles[role].toLowerCase()}`}
    says=${html`<p>
      Signatures made with this key from now on are invalid. An active key gets a successor. Revoke a key if somebody
      else may have a copy. This cannot be undone.
    </p>`}
    call=${{
      method: 'POST',
      path: `/signing-keys/${encodeURIComponent(kid)}/revoke`,
      body: { reason: reason.trim() },
      key: true,
    }}
    word="revoke"
    danger
    missing=${reason.trim() === '' ? 'Enter a reason.' : undefined}
    onDone=${onDone}
  >
    <${TextField} label="Reason" hint="Public: it is in the log." value=${reason} onChange=${setReason} />
  <//>`;
}
