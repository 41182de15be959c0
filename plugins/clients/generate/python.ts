import type { Shape } from './schema.ts';
import { headOf, type TypedOrb } from './orbs.ts';

/** Writes the module of typed Orbs: `Orb` and `AsyncOrb` whose `run` and `enqueue` know the inputs of each. */
export function pythonFile(orbs: readonly TypedOrb[], server: string): string {
  const classes: string[] = [];
  const names = new Set<string>();
  const rows = orbs.map(({ inputs, orb_id, outputs }) => {
    const name = orb_id
      .replace(/@.*/, '')
      .split(/[^a-zA-Z0-9]+/)
      .map(capital)
      .join('');
    const version = orb_id.replace(/.*@/, '').replace(/\W/g, '_');
    const base = names.has(name) ? `${name}_${version}` : name;
    names.add(name);
    const writer = { classes };
    return {
      orb_id,
      inputs: typeOf(inputs, `${base}Inputs`, writer),
      outputs: typeOf(outputs, `${base}Outputs`, writer),
    };
  });
  return [
    ...headOf(orbs, server).map((line) => `# ${line}`),
    'from __future__ import annotations',
    '',
    'from typing import TYPE_CHECKING, Any, Literal, Mapping, Sequence, TypedDict, Union, overload',
    '',
    'import agent_orb',
    '',
    'if TYPE_CHECKING:',
    '    from agent_orb import QueueOptions, RunOptions',
    '    from typing_extensions import NotRequired, Unpack',
    '',
    ...classes,
    ...clientOf('Orb', '', rows),
    ...clientOf('AsyncOrb', 'async ', rows),
  ].join('\n');
}

interface Row {
  readonly orb_id: string;
  readonly inputs: string;
}

function clientOf(name: string, word: string, rows: readonly Row[]): string[] {
  const head = ['', `class ${name}(agent_orb.${name}):`, '    """A client whose Orbs are typed."""', ''];
  if (rows.length === 0) return head;
  return [
    ...head,
    ...methodOf('run', { word, rows, options: 'RunOptions', answer: 'agent_orb.Outcome' }),
    ...methodOf('enqueue', {
      ...{ word, rows, options: 'QueueOptions', answer: 'Union[agent_orb.Outcome, agent_orb.Queued]' },
    }),
  ];
}

interface Method {
  readonly word: string;
  readonly rows: readonly Row[];
  readonly options: string;
  readonly answer: string;
}

// Other Orbs than these are for the client without types, so the method takes less than that of its parent.
const narrower = '  # type: ignore[override]';

function methodOf(name: string, { answer, options, rows, word }: Method): string[] {
  const call = `        return ${word === '' ? '' : 'await '}super().${name}(orb, inputs, **options)`;
  const typed = rows.map(
    ({ inputs, orb_id }) =>
      `    ${word}def ${name}(self, orb: Literal[${text(orb_id)}], inputs: ${inputs}, **options: Unpack[${options}]) -> ${answer}:`,
  );
  // One alone cannot be an overload.
  if (typed.length === 1) return [`${typed[0]}${narrower}`, call, ''];
  const overloads = typed.flatMap((line, at) => [`    @overload${at === 0 ? narrower : ''}`, `${line} ...`]);
  return [...overloads, `    ${word}def ${name}(self, orb: Any, inputs: Any, **options: Any) -> Any:`, call, ''];
}

interface Writer {
  readonly classes: string[];
}

const plain: Readonly<Record<string, string>> = {
  ...{ string: 'str', number: 'float', integer: 'int', boolean: 'bool', null: 'None', never: 'Any', unknown: 'Any' },
};

function typeOf(shape: Shape, name: string, writer: Writer): string {
  switch (shape.kind) {
    case 'literal':
      return literalOf(shape.values);
    case 'list':
      return `Sequence[${typeOf(shape.items, `${name}Item`, writer)}]`;
    case 'either':
      return `Union[${shape.of.map((one, at) => typeOf(one, `${name}${at + 1}`, writer)).join(', ')}]`;
    case 'all':
      // Python has no type of values that fit several types.
      return shape.of.every(({ kind }) => kind === 'object') ? 'Mapping[str, Any]' : 'Any';
    case 'object':
      return objectOf(shape, name, writer);
    default:
      return plain[shape.kind] ?? 'Any';
  }
}

function literalOf(values: readonly unknown[]): string {
  // Python's Literal has no numbers with a fraction.
  if (values.length === 0 || values.some((value) => typeof value === 'number' && !Number.isInteger(value)))
    return 'Any';
  return `Literal[${values.map((value) => (value === null ? 'None' : value === true ? 'True' : value === false ? 'False' : typeof value === 'string' ? text(value) : String(value as number))).join(', ')}]`;
}

// A TypedDict is closed: an object that takes more members is a mapping.
function objectOf({ members, open }: Extract<Shape, { kind: 'object' }>, name: string, { classes }: Writer): string {
  if (open) return 'Mapping[str, Any]';
  const own: string[] = [];
  const fields = members.map(({ name: member, optional, shape }) => {
    const type = typeOf(
      shape,
      `${name}${member
        .split(/[^a-zA-Z0-9]+/)
        .map(capital)
        .join('')}`,
      { classes: own },
    );
    return `${text(member)}: ${text(optional ? `NotRequired[${type}]` : type)}`;
  });
  classes.push(...own, `${name} = TypedDict(${text(name)}, {${fields.join(', ')}})`, '');
  return name;
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

// A JSON text is a Python text, but for characters beyond the first plane, which JSON.stringify leaves as they are.
const text = (value: string): string => JSON.stringify(value).replaceAll('\u007f', '\\u007f');
