import { html, type Html } from '../../../kernel/index.ts';
import { columns } from './tier.ts';
import type { OrbManifest } from '../../runtime/contract.ts';

/** The members of a JSON Schema that a page reads. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly format?: string;
  readonly minimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
}

/** What inputs mean, by name, where the manifest does not say it. */
export type Meanings = Readonly<Record<string, string>>;

/** Shows the members of inputs or outputs as a table; undefined when the schema names none. */
export function membersTable(
  schema: OrbManifest['inputs_schema'],
  label: string,
  meanings: Meanings = {},
): Html | undefined {
  // The catalog has checked that a manifest holds a JSON Schema.
  const { properties = {}, required = [] } = schema as Schema;
  const members = Object.entries(properties);
  if (members.length === 0) return undefined;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}">
    <table class="members">
      ${columns('Name', 'Type', 'Meaning')}
      <tbody>
        ${members.map(
          ([name, member]) =>
            html`<tr>
              <th scope="row"><code>${name}</code></th>
              <td>${typeOf(member)}${!required.includes(name) && html` <span class="muted">optional</span>`}</td>
              <td>${(member.description ?? meanings[name] ?? '–').replaceAll('`', '')}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function typeOf({ type, items, enum: values, const: value, format, maxLength, maxItems }: Schema): string {
  if (value !== undefined) return JSON.stringify(value);
  if (values !== undefined)
    return `one of ${values
      .slice(0, 12)
      .map((one) => JSON.stringify(one))
      .join(', ')}`;
  const name = [type ?? 'any value'].flat().join(' or ');
  const parts = [
    items === undefined ? undefined : `of ${typeOf(items)}`,
    format,
    maxLength === undefined ? undefined : `up to ${maxLength.toLocaleString('en')} characters`,
    maxItems === undefined ? undefined : `up to ${maxItems}`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? name : `${name} ${parts.join(', ')}`;
}

/** Makes inputs for an example: the required members, each with a value of its type. */
export function exampleInputs(schema: OrbManifest['inputs_schema'] | Schema): object {
  const { properties = {}, required = [] } = schema as Schema;
  const members = Object.entries(properties).filter(([name]) => required.includes(name));
  return Object.fromEntries(members.map(([name, member]) => [name, exampleOf(name, member)]));
}

function exampleOf(name: string, schema: Schema): unknown {
  const told = schema.examples?.[0] ?? schema.const ?? schema.default ?? schema.enum?.[0];
  if (told !== undefined) return told;
  const [type] = [schema.type ?? 'string'].flat();
  if (type === 'object') return exampleInputs(schema);
  if (type === 'array') return [];
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1;
  if (type === 'boolean') return true;
  if (type === 'null') return null;
  if (schema.format === 'uri' || /url/i.test(name)) return 'https://example.com/';
  if (schema.format === 'date-time') return '2026-01-31T12:00:00Z';
  if (schema.format === 'email' || /^(to|cc|bcc|from|reply_to)$|address|mail/i.test(name)) return 'ada@example.com';
  return 'hello'.padEnd(Math.min(schema.minLength ?? 0, 200), ' x').slice(0, schema.maxLength ?? 200);
}
