import type { Shape } from './schema.ts';
import { headOf, type TypedOrb } from './orbs.ts';

/** Writes the declaration file of Orbs; with `strict`, ids that it does not name are errors. */
export function typescriptFile(orbs: readonly TypedOrb[], server: string, strict: boolean): string {
  const members = orbs.map(
    ({ inputs, orb_id, outputs }) =>
      `    ${JSON.stringify(orb_id)}: { inputs: ${written(inputs, '    ')}; outputs: ${written(outputs, '    ')} };`,
  );
  return [
    ...headOf(orbs, server).map((line) => `// ${line}`),
    "import 'agent-orb';",
    '',
    "declare module 'agent-orb' {",
    '  interface Orbs {',
    ...members,
    '  }',
    ...(strict ? ['  interface OrbsSettings {', '    strict: true;', '  }'] : []),
    '}',
    '',
  ].join('\n');
}

function written(shape: Shape, indent: string): string {
  switch (shape.kind) {
    case 'unknown':
      return shape.because === undefined ? 'unknown' : `unknown /* ${shape.because.replaceAll('*/', '* /')} */`;
    case 'integer':
      return 'number';
    case 'literal':
      return shape.values.map((value) => JSON.stringify(value)).join(' | ') || 'never';
    case 'list':
      return `readonly (${written(shape.items, indent)})[]`;
    case 'either':
      return shape.of.map((one) => `(${written(one, indent)})`).join(' | ') || 'never';
    case 'all':
      return shape.of.map((one) => `(${written(one, indent)})`).join(' & ');
    case 'object':
      return objectOf(shape, indent);
    default:
      return shape.kind;
  }
}

function objectOf({ members, open }: Extract<Shape, { kind: 'object' }>, indent: string): string {
  const deeper = `${indent}  `;
  const lines = members.map(
    ({ name, optional, shape }) =>
      `${deeper}readonly ${JSON.stringify(name)}${optional ? '?' : ''}: ${written(shape, deeper)};`,
  );
  if (open) lines.push(`${deeper}readonly [member: string]: unknown;`);
  return lines.length === 0 ? 'Readonly<Record<string, never>>' : `{\n${lines.join('\n')}\n${indent}}`;
}
