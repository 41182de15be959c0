import type { FormSchema } from '../../parts/form/schema.ts';
import type { OrbManifest } from '../../frame/wire.ts';

/** Says whether a pattern names an Orb: `*`, `ns.*`, or its id. */
export function namesOrb(pattern: string, orbId: string): boolean {
  return pattern === '*' || (pattern.endsWith('.*') ? orbId.startsWith(pattern.slice(0, -1)) : pattern === orbId);
}

const executing = 'orbs:execute';

/** Finds the scope of a key by which it may run an Orb; undefined: it may not. */
export function scopeFor(scopes: readonly string[], orbId: string): string | undefined {
  const covers = (scope: string): boolean =>
    scope === '*' ||
    scope === executing ||
    (scope.startsWith(`${executing}:`) && namesOrb(scope.slice(executing.length + 1), orbId));
  return scopes.find(covers);
}

/** Writes the id of the next version of an Orb: its last number is one higher. */
export function nextVersion(orbId: string): string {
  return orbId.replace(/@(\d+\.\d+\.)(\d+).*$/, (_, head: string, patch: string) => `@${head}${Number(patch) + 1}`);
}

/** Says whether the text of a policy names an Orb, with or without its version. */
export function mentions(source: string, orbId: string): boolean {
  const bare = orbId.replace(/@.*$/, '');
  for (let at = source.indexOf(bare); at !== -1; at = source.indexOf(bare, at + 1)) {
    const rest = source.slice(at + bare.length);
    if (/[\w.-]$/.test(source.slice(0, at)) || /^[\w-]/.test(rest)) continue;
    if (!/^@\d/.test(rest) || rest.startsWith(orbId.slice(bare.length))) return true;
  }
  return false;
}

/** A member of a schema, as a row of a table. */
export interface SchemaRow {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly says: string;
}

/** Lists the members of a schema, the inner ones too: `attachments[].filename`. */
export function rowsOf(schema: FormSchema, within = ''): readonly SchemaRow[] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([member, property]) => {
    const name = within === '' ? member : `${within}.${member}`;
    // `true` takes anything.
    if (typeof property !== 'object') return [{ name, type: 'any', required: required.includes(member), says: '' }];
    const row = { name, type: typeOf(property), required: required.includes(member), says: saysOf(property) };
    const inner = property.items?.properties === undefined ? [] : rowsOf(property.items, `${name}[]`);
    return [row, ...rowsOf(property, name), ...inner];
  });
}

function typeOf({ type, enum: choices, const: only, items }: FormSchema): string {
  if (choices !== undefined) return choices.map((one) => JSON.stringify(one)).join(' | ');
  if (only !== undefined) return JSON.stringify(only);
  const all = [type ?? 'any'].flat().join(' | ');
  return all === 'array' && items?.type !== undefined ? `array of ${[items.type].flat().join(' | ')}` : all;
}

function saysOf({ description, minimum, maximum, maxLength, format, pattern, default: given }: FormSchema): string {
  const limits = [
    minimum !== undefined && `at least ${minimum}`,
    maximum !== undefined && `at most ${maximum}`,
    maxLength !== undefined && `at most ${maxLength.toLocaleString('en')} characters`,
    format !== undefined && `format ${format}`,
    pattern !== undefined && `pattern ${pattern}`,
    given !== undefined && `default ${JSON.stringify(given)}`,
  ].filter((one) => one !== false);
  return [description, limits.join('; ')].filter((one) => one !== undefined && one !== '').join(' — ');
}

/** What each effect means for a caller. */
export const effects: Readonly<Record<OrbManifest['effect'], string>> = {
  none: 'It changes nothing outside; it is safe to repeat.',
  idempotent: 'Repeating it changes nothing more.',
  reversible: 'It changes something that can be taken back.',
  irreversible: 'It cannot be taken back.',
};
