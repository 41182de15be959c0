import { headOf, type TypedOrb } from './orbs.ts';
import { typeOf, type Language, type Plain } from './schema.ts';

// A JSON text is a Python text, but for this character, which JSON.stringify leaves as it is.
const text = (value: string): string => JSON.stringify(value).replaceAll('\u007f', '\\u007f');

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

const names: Readonly<Record<string, string>> = { null: 'None', true: 'True', false: 'False' };

const literalOf = (value: Plain): string =>
  typeof value === 'string' ? text(value) : (names[String(value)] ?? String(value));

/** The types of Python. Those of closed objects are classes, which it collects by their name. */
const python = (classes: Map<string, string>): Language => ({
  plain: { string: 'str', number: 'float', integer: 'int', boolean: 'bool', null: 'None' },
  never: 'Any',
  unknown: () => 'Any',
  // Python's Literal has no numbers with a fraction or an exponent.
  literal: (values) =>
    values.some((value) => typeof value === 'number' && !Number.isSafeInteger(value))
      ? 'Any'
      : `Literal[${values.map(literalOf).join(', ')}]`,
  list: (item) => `Sequence[${item}]`,
  either: (types) => (types.includes('Any') ? 'Any' : `Union[${types.join(', ')}]`),
  // Python has no type of values that fit several types; they fit the first one.
  all: (types) => types.find((type) => type !== 'Any') ?? 'Any',
  object(path, members) {
    const words = path.flatMap((part) => part.split(/[^a-zA-Z0-9]+/));
    const base = words.map(capital).join('');
    let name = base;
    for (let count = 2; classes.has(name); count++) name = `${base}_${count}`;
    const fields = members.map(
      ({ name: member, optional, type }) => `${text(member)}: ${text(optional ? `NotRequired[${type}]` : type)}`,
    );
    classes.set(name, `${name} = TypedDict(${text(name)}, {${fields.join(', ')}})\n`);
    return name;
  },
  open: () => 'Mapping[str, Any]',
});

/** Writes the module of typed Orbs: `Orb` and `AsyncOrb` whose `run` and `enqueue` know the inputs of each. */
export function pythonFile(orbs: readonly TypedOrb[], server: string): string {
  const classes = new Map<string, string>();
  const given = orbs.map(({ inputs_schema, orb_id, outputs_schema }) => {
    const write = (schema: unknown, of: string): string =>
      typeOf(schema, [orb_id.replace(/@.*/, ''), of], python(classes));
    const [inputs] = [write(inputs_schema, 'Inputs'), write(outputs_schema, 'Outputs')];
    return `orb: Literal[${text(orb_id)}], inputs: ${inputs}`;
  });
  return [
    headOf(orbs, server, '#'),
    'from __future__ import annotations\n',
    'from typing import TYPE_CHECKING, Any, Literal, Mapping, Sequence, TypedDict, Union, overload\n',
    'import agent_orb\n',
    'if TYPE_CHECKING:',
    '    from agent_orb import QueueOptions, RunOptions',
    '    from typing_extensions import NotRequired, Unpack\n',
    ...classes.values(),
    clientOf('Orb', '', given),
    clientOf('AsyncOrb', 'async ', given),
  ].join('\n');
}

/** The methods of a client that know the inputs of each Orb: their options and answers. */
const methods = {
  run: ['RunOptions', 'agent_orb.Outcome'],
  enqueue: ['QueueOptions', 'Union[agent_orb.Outcome, agent_orb.Queued]'],
} as const;

function clientOf(client: string, word: 'async ' | '', orbs: readonly string[]): string {
  const typed = orbs.length === 0 ? [] : [methodOf('run', word, orbs), methodOf('enqueue', word, orbs)];
  return `\nclass ${client}(agent_orb.${client}):\n    """A client whose Orbs are typed."""\n\n${typed.join('')}`;
}

// Other Orbs than these are for the client without types, so the method takes less than that of its parent.
const narrower = '  # type: ignore[override]';

function methodOf(name: keyof typeof methods, word: 'async ' | '', orbs: readonly string[]): string {
  const [options, answer] = methods[name];
  const call = `        return ${word && 'await '}super().${name}(orb, inputs, **options)\n`;
  const typed = orbs.map(
    (given) => `    ${word}def ${name}(self, ${given}, **options: Unpack[${options}]) -> ${answer}:`,
  );
  // One alone cannot be an overload.
  if (typed.length === 1) return `${typed[0]}${narrower}\n${call}\n`;
  const overloads = typed.map((line, at) => `    @overload${at === 0 ? narrower : ''}\n${line} ...\n`);
  return `${overloads.join('')}    ${word}def ${name}(self, orb: Any, inputs: Any, **options: Any) -> Any:\n${call}\n`;
}
