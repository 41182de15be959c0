import { html } from '../../frame/html.ts';
import { Json } from '../../parts/code.ts';
import type { FormSchema } from '../../parts/form/schema.ts';
import { Table, type Column } from '../../parts/table.ts';
import { rowsOf, type SchemaRow } from './words.ts';

const columns: readonly Column<SchemaRow>[] = [
  { title: 'Member', cell: ({ name }) => html`<code>${name}</code>` },
  { title: 'Type', cell: ({ type }) => html`<div class="wide-cell"><code>${type}</code></div>` },
  { title: 'Required', cell: ({ required }) => (required ? 'yes' : 'no') },
  { title: 'Meaning and limits', cell: ({ says }) => html`<div class="wide-cell">${says}</div>` },
];

/** Shows one side of an Orb's contract: its members, and the schema as it was written. */
export function SchemaPanel({ title, schema }: { readonly title: string; readonly schema: FormSchema | boolean }) {
  const rows = typeof schema === 'object' ? rowsOf(schema) : [];
  return html`<section class="panel stack">
    <h2>${title}</h2>
    <${Table}
      caption=${title}
      columns=${columns}
      rows=${rows}
      rowKey=${({ name }: SchemaRow) => name}
      empty=${html`<p class="muted">The schema names no members: it takes any object that fits it.</p>`}
    />
    <details>
      <summary>JSON Schema</summary>
      <${Json} value=${schema} label=${`schema of the ${title.toLowerCase()}`} />
    </details>
  </section>`;
}
