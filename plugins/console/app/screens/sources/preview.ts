import { html } from '../../frame/html.ts';
import { useGet } from '../../frame/resource.ts';
import { ProblemNote } from '../../parts/notice.ts';
import { Table, type Column } from '../../parts/table.ts';
import type { ReplayChanges } from '../../frame/wire.ts';

type Change = ReplayChanges['changes'][number];
type Row = Pick<Change, 'ordinal' | 'change'> & Readonly<Record<'name' | 'before' | 'after', string>>;

/** Shows what reading a delivery again would change; asking changes nothing. */
export function ReplayPreview({ path }: { readonly path: string }) {
  const { value, problem, reload } = useGet<ReplayChanges>(`${path}/preview`);
  return html`<section class="stack" aria-label="Replay preview">
    <h2>Replay preview</h2>
    <${ProblemNote} problem=${problem} retry=${reload} />
    ${value && html`<p>${sentenceOf(value)}</p>`}
    ${
      value &&
      value.changes.length > 0 &&
      html`<${Table}
        caption="Changes by a replay"
        columns=${columns}
        rows=${value.changes.flatMap(rowsOf)}
        rowKey=${keyOf}
      />`
    }
  </section>`;
}

function sentenceOf({ outcome, reason, unchanged, changes }: ReplayChanges): string {
  if (outcome === 'dead') return `It would become a dead letter: ${reason?.replaceAll('_', ' ') ?? 'unreadable'}.`;
  if (changes.length === 0) return `No changes${unchanged > 0 ? `: ${signals(unchanged)} as before` : ''}.`;
  return `${signals(changes.length)} would change, ${unchanged} would not.`;
}

const signals = (count: number): string => `${count} ${count === 1 ? 'signal' : 'signals'}`;

const rowsOf = ({ ordinal, change, members = [] }: Change): readonly Row[] =>
  members.map(({ name, before, after }) => ({ ordinal, change, name, before: textOf(before), after: textOf(after) }));

const textOf = (value: unknown): string =>
  value === undefined ? '–' : typeof value === 'string' ? value : JSON.stringify(value);

const keyOf = ({ ordinal, name }: Row): string => `${ordinal} ${name}`;

const columns: readonly Column<Row>[] = [
  { title: 'Signal', cell: ({ ordinal }) => ordinal + 1 },
  { title: 'Change', cell: ({ change }) => change },
  { title: 'Member', cell: ({ name }) => html`<code>${name}</code>` },
  { title: 'Now', cell: ({ before }) => html`<span class="wide-cell">${before}</span>` },
  { title: 'After replay', cell: ({ after }) => html`<span class="wide-cell">${after}</span>` },
];
