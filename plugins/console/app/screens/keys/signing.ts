import { html } from '../../frame/html.ts';
import { useGet } from '../../frame/resource.ts';
import { Act, type ActOn } from '../../parts/act.ts';
import { loaded } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import { Table, type Column } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import type { SigningKey } from '../../frame/wire.ts';

/** Lists the keys that sign receipts, the log and certificates; an active one can be rotated, any but the log's revoked. */
export function SigningKeys() {
  const list = useGet<{ readonly keys: readonly SigningKey[] }>('/signing-keys');
  return html`<section class="stack">
    <div>
      <h2>Signing keys</h2>
      <p class="muted">
        They sign receipts, the log and certificates. To rotate or revoke one, you must enter your own key again.
      </p>
    </div>
    ${loaded(
      list,
      ({ keys }) =>
        html`<${Table}
          caption="Signing keys"
          columns=${columnsFor(list.reload)}
          rows=${keys}
          rowKey=${({ kid }: SigningKey) => kid}
        />`,
    )}
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

const reason = { name: 'reason', label: 'Reason', hint: 'Public: it is in the log.' };

function Rotate({ of: { role }, onDone }: ActOn<SigningKey>) {
  const more = role === 'log' ? ' A new log is opened; the old one stays readable.' : '';
  return html`<${Act}
    label="Rotate"
    title=${`Rotate the key of ${roles[role].toLowerCase()}`}
    says=${html`<p>A new key signs from now on. Signatures of the old key stay valid. The log records the change.${more}</p>`}
    call=${{ method: 'POST', path: '/signing-keys/rotate', body: { role }, key: true }}
    fields=${[{ ...reason, required: false }]}
    word="rotate"
    onDone=${onDone}
  />`;
}

function Revoke({ of: { kid, role }, onDone }: ActOn<SigningKey>) {
  return html`<${Act}
    label="Revoke"
    title=${`Revoke a key of ${roles[role].toLowerCase()}`}
    says=${html`<p>
      Signatures made with this key from now on are invalid. An active key gets a successor. Revoke a key if somebody
      else may have a copy. This cannot be undone.
    </p>`}
    call=${{ method: 'POST', path: `/signing-keys/${encodeURIComponent(kid)}/revoke`, key: true }}
    fields=${[reason]}
    word="revoke"
    danger
    onDone=${onDone}
  />`;
}
