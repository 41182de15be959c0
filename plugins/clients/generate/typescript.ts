import { headOf, type TypedOrb } from './orbs.ts';
import { typeOf, type Language, type Member } from './schema.ts';

const typescript: Language = {
  plain: { string: 'string', number: 'number', integer: 'number', boolean: 'boolean', null: 'null' },
  never: 'never',
  unknown: (because) => (because === undefined ? 'unknown' : `unknown /* ${because.replaceAll('*/', '* /')} */`),
  literal: (values) => values.map((value) => JSON.stringify(value)).join(' | '),
  list: (item) => `readonly (${item})[]`,
  either: (types) => types.map((type) => `(${type})`).join(' | '),
  all: (types) => types.map((type) => `(${type})`).join(' & '),
  object: (_, members) => (members.length === 0 ? 'Readonly<Record<string, never>>' : block(members.map(lineOf))),
  open: (members) => block([...members().map(lineOf), 'readonly [member: string]: unknown;']),
};

const lineOf = ({ name, optional, type }: Member): string =>
  `readonly ${JSON.stringify(name)}${optional ? '?' : ''}: ${type};`;

const block = (lines: readonly string[]): string => `{\n${indented(lines.join('\n'))}\n}`;

// Other ends of lines may be in texts.
const indented = (text: string): string => `  ${text.replaceAll('\n', '\n  ')}`;

/** Writes the declaration file of Orbs; with `strict`, ids that it does not name are errors. */
export function typescriptFile(orbs: readonly TypedOrb[], server: string, strict = false): string {
  const members = orbs.map(({ inputs_schema, orb_id, outputs_schema }) => {
    const [inputs, outputs] = [inputs_schema, outputs_schema].map((schema) => typeOf(schema, [], typescript));
    return `${JSON.stringify(orb_id)}: { inputs: ${inputs}; outputs: ${outputs} };`;
  });
  const settings = ['interface OrbsSettings {', '  strict: true;', '}'];
  const interfaces = ['interface Orbs {', ...members.map(indented), '}', ...(strict ? settings : [])];
  return [
    headOf(orbs, server, '//'),
    "import 'agent-orb';\n",
    "declare module 'agent-orb' {",
    ...interfaces.map(indented),
    '}\n',
  ].join('\n');
}
