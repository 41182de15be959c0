import type { AccessRequest } from '../../../kernel/access.ts';
import { question } from './workbench.ts';

/** A generator of numbers below a bound, the same for the same seed. */
export type Random = (bound: number) => number;

/** Makes a generator (mulberry32). */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return (bound) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
}

function pick<T>(random: Random, list: readonly T[]): T {
  const found = list[random(list.length)];
  if (found === undefined) throw new Error('an empty list');
  return found;
}

// Every way of reading that the read paths must understand, the ones that make them give up included.
const conditions: readonly string[] = [
  'input.subject.mode == "live"',
  'input["subject"]["tenant"] == "a"',
  'not input.context.client_ip',
  'input.resource.score >= 60',
  'input.resource.score == null',
  'input.context.inputs.n > 3',
  'is_number(input.context.inputs.n)',
  'input.context.inputs.m.x == input.context.inputs.n',
  'object.get(input.context.inputs, "s", "none") == "none"',
  'count(input.subject.scopes) > 1',
  '"orbs:execute" in input.subject.scopes',
  'startswith(input.resource.id, "notify.")',
  'input.context.orbiset.labels.stage == "prod"',
  'data.lists.orbs[input.resource.id]',
  'input.context.time_ns > "1800000000000000000"',
  'time.now_ns() > 1800000000000000000',
  'time.weekday(time.now_ns()) != "Monday"',
  'every p in input.context.providers { p.health != "down" }',
  'some p in input.context.providers; p.name == "a"',
  'input.context.providers[_].adapter == "echo/local"',
  'some p in input.context.providers; p.generation > 1',
  'some p in input.context.providers; p == input.context.providers[0]',
  'some k, v in input.context.inputs; v == "hit"; k != "s"',
  'walk(input.context.inputs, [path, value]); value == "deep"; count(path) == 2',
  'some key in object.keys(input); key == "subject"',
  'x := input; x.subject.mode == "test"',
  'json.marshal(input.resource.data_classes) == "[\\"public\\"]"',
  'lib.is_owner',
  'lib.over(input.context.inputs.n)',
  '{s | some s in input.subject.scopes} == {"orbs:execute"}',
  'input.context.inputs[input.subject.tenant] == 1',
  'lib.is_owner with input.subject.tenant as "b"',
  'lib.is_owner with input as {"subject": {"tenant": input.context.inputs.s}}',
];

const library = `package lib

is_owner if input.subject.tenant == "b"

over(n) if n > input.context.inputs_bytes
`;

// Its allows may hold because a member is missing: that is what the read paths must understand.
const accepting = '# METADATA\n# custom:\n#   fallible: accepted\n';

/** Makes a folder of policies. */
export function folder(random: Random): Record<string, string> {
  const rule = (head: string): string =>
    `${head} if {\n${Array.from({ length: 1 + random(2) }, () => `\t${inScope(pick(random, conditions), random)}`).join('\n')}\n}\n`;
  const rules = [
    ...Array.from({ length: 1 + random(3) }, () => rule('allow')),
    ...Array.from({ length: random(3) }, (_, index) => rule(`deny contains $"d${index} {input.resource.id}"`)),
    ...Array.from({ length: random(2) }, () => rule('warn contains "w"')),
  ];
  const needed = rules.some((text) => text.includes('lib.')) ? 'import data.lib\n\n' : '';
  return {
    'generated.rego': `${accepting}package orb.policies.generated\n\n${needed}${rules.join('\n')}`,
    'lib.rego': `${accepting}${library}`,
    'data.json': JSON.stringify({ lists: { orbs: { 'notify.email@1.0.0': true, 'demo.echo@1.0.0': false } } }),
  };
}

// A helper rule of its own keeps the locals of two conditions apart.
function inScope(condition: string, random: Random): string {
  const parts = condition.split('; ').join('\n\t\t');
  return random(4) === 0 && !condition.startsWith('not')
    ? `count([1 | ${condition}]) == 0`
    : `count([1 |\n\t\t${parts}\n\t]) > 0`;
}

/** Makes a question whose values come from small sets, so that equal reads happen. */
export function asked(random: Random): AccessRequest {
  return question('execute', ({ subject, resource, context }) => {
    subject['mode'] = pick(random, ['live', 'test']);
    subject['tenant'] = pick(random, ['a', 'b', 's']);
    subject['scopes'] = pick(random, [[], ['orbs:execute'], ['orbs:execute', 'orbs:read']]);
    resource['id'] = pick(random, ['notify.email@1.0.0', 'demo.echo@1.0.0']);
    resource['score'] = pick(random, [null, 10, 60]);
    resource['data_classes'] = pick(random, [[], ['public']]);
    if (random(2) === 0) delete context['client_ip'];
    context['time_ns'] = pick(random, ['1700000000000000000', '1800000000000000001', '1900000000000000000']);
    context['inputs_bytes'] = random(3);
    context['orbiset'] = { id: 'default', labels: pick(random, [{}, { stage: 'prod' }]) };
    context['inputs'] = pick<object>(random, [
      {},
      { n: 5 },
      { n: '5', s: 'b' },
      { n: 1, m: { x: 1 } },
      { s: 'hit' },
      { t: 'hit', a: 1 },
      { m: { y: 'deep' } },
      { n: null },
    ]);
    context['providers'] = Array.from({ length: random(3) }, () => ({
      name: pick(random, ['a', 'b']),
      adapter: pick(random, ['echo/local', 'email/smtp']),
      health: pick(random, ['up', 'down']),
      generation: random(3),
    }));
  });
}
