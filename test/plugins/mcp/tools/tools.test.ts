import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageDir } from '../../../helpers/folder.ts';
import { builtin } from '../../../helpers/shipped.ts';
import { createOrb, type Orb } from '../../../../plugins/runtime/catalog/orb.ts';
import type { Orbiset } from '../../../../plugins/runtime/catalog/orbiset.ts';
import { toolsOf, type Offered } from '../../../../plugins/mcp/tools/tools.ts';

const base = {
  manifest_version: 1,
  title: 'T',
  description: 'D.',
  capability: 'echo',
  inputs_schema: { type: 'object' },
  outputs_schema: { type: 'object' },
  effect: 'none',
  action_class: 'read',
  timeout_ms: 1000,
};

function orb(orb_id: string, more: object = {}): Orb {
  const faults: string[] = [];
  const made = createOrb({ ...base, orb_id, ...more }, faults);
  if (made === undefined) throw new Error(faults.join());
  return made;
}

const offer = (id: string, more: object = {}, deprecated = false): Offered => ({
  orb: orb(id, more),
  tier: 'none',
  meanings: {},
  deprecated,
});
const orbiset = (more: Partial<Orbiset> = {}): Orbiset => ({ id: 'a', tenant: 'default', orbs: ['*'], ...more });

function namesOf(offered: readonly Offered[], more: Partial<Orbiset> = {}): Readonly<Record<string, string>> {
  const { orbs } = toolsOf({ orbiset: orbiset(more), offered, sandbox: false });
  return Object.fromEntries([...orbs].map(([name, { orb_id }]) => [name, orb_id]));
}

describe('the tools of Orbs', () => {
  const names: readonly { title: string; offered: readonly Offered[]; orbiset?: Partial<Orbiset>; found: object }[] = [
    { title: 'dots become underscores', offered: [offer('a.b.c@1.0.0')], found: { a_b_c: 'a.b.c@1.0.0' } },
    {
      title: 'the newest version of a major serves',
      offered: [offer('a.b@1.0.0'), offer('a.b@1.10.0'), offer('a.b@1.9.0')],
      found: { a_b: 'a.b@1.10.0' },
    },
    {
      title: 'an early version only when there is no other',
      offered: [offer('a.b@1.0.0'), offer('a.b@1.1.0-rc.1')],
      found: { a_b: 'a.b@1.0.0' },
    },
    {
      title: 'a deprecated version only when there is no other',
      offered: [offer('a.b@1.0.0'), offer('a.b@1.1.0', {}, true)],
      found: { a_b: 'a.b@1.0.0' },
    },
    {
      title: 'a version that the Orbiset names is pinned',
      offered: [offer('a.b@1.0.0'), offer('a.b@1.1.0')],
      orbiset: { orbs: ['a.*', 'a.b@1.0.0'] },
      found: { a_b: 'a.b@1.0.0' },
    },
    {
      title: 'the older of two majors has a suffix',
      offered: [offer('a.b@1.0.0'), offer('a.b@2.0.0')],
      found: { a_b: 'a.b@2.0.0', a_b_v1: 'a.b@1.0.0' },
    },
    {
      title: 'an Orb that is called so keeps its name',
      offered: [offer('a.b@1.0.0'), offer('a.b@2.0.0'), offer('a.b_v1@1.0.0')],
      found: { a_b: 'a.b@2.0.0', a_b_v1: 'a.b_v1@1.0.0' },
    },
    {
      title: 'two Orbs of one name are both left out',
      offered: [offer('a.b_c@1.0.0'), offer('a.b.c@1.0.0'), offer('d.e@1.0.0')],
      found: { d_e: 'd.e@1.0.0' },
    },
    {
      title: 'unless one is renamed',
      offered: [offer('a.b_c@1.0.0'), offer('a.b.c@1.0.0')],
      orbiset: { tools: { names: { 'a.b.c@1.0.0': 'other' } } },
      found: { a_b_c: 'a.b_c@1.0.0', other: 'a.b.c@1.0.0' },
    },
    {
      title: 'a name of more than 64 characters is left out',
      offered: [offer(`a.${'b'.repeat(63)}@1.0.0`)],
      found: {},
    },
    {
      title: 'the name of the platform’s own tool is not given away',
      offered: [offer('orb.run.status@1.0.0')],
      found: {},
    },
    {
      title: 'an Orb whose inputs are no object is left out',
      offered: [offer('a.b@1.0.0', { inputs_schema: { anyOf: [{ type: 'object' }] } })],
      found: {},
    },
  ];
  for (const { title, offered, orbiset: more = {}, found } of names)
    it(title, () => expect(namesOf(offered, more)).to.deep.equal(found));

  const hints: readonly [effect: string, action: string, found: object][] = [
    ['none', 'read', { readOnlyHint: true }],
    ['idempotent', 'write', { readOnlyHint: false, destructiveHint: false, idempotentHint: true }],
    ['idempotent', 'delete', { readOnlyHint: false, destructiveHint: true, idempotentHint: true }],
    ['reversible', 'write', { readOnlyHint: false, destructiveHint: false, idempotentHint: false }],
    ['reversible', 'delete', { readOnlyHint: false, destructiveHint: true, idempotentHint: false }],
    ['irreversible', 'notify', { readOnlyHint: false, destructiveHint: true, idempotentHint: false }],
  ];
  for (const [effect, action_class, found] of hints)
    it(`hints of ${effect} and ${action_class}`, () => {
      for (const sandbox of [true, false]) {
        const { tools } = toolsOf({
          orbiset: orbiset(),
          offered: [offer('a.b@1.0.0', { effect, action_class })],
          sandbox,
        });
        expect(tools[0]?.['annotations']).to.deep.equal({ title: 'T', ...found, openWorldHint: !sandbox });
      }
    });

  it('keep the references of a schema of outputs whole', () => {
    const outputs_schema = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/a' } },
      $defs: { a: { type: 'string' } },
    };
    const { tools } = toolsOf({
      orbiset: orbiset(),
      offered: [offer('a.b@1.0.0', { outputs_schema })],
      sandbox: false,
    });
    const schema = tools[0]?.['outputSchema'] as { properties: { outputs: object } };
    expect(schema.properties.outputs).to.deep.equal({ $id: 'urn:agent-orb:outputs:a.b%401.0.0', ...outputs_schema });
  });

  it('say of an input what its capability says, unless the manifest does, and check what they checked', () => {
    const inputs_schema = {
      type: 'object',
      required: ['a'],
      properties: {
        a: { type: 'string', maxLength: 5 },
        b: { type: 'string', description: 'own' },
        c: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } },
        d: true,
        e: false,
      },
    };
    const meanings = { a: 'first', b: 'second', c: 'third', 'c.a': 'inner', d: 'any', e: 'none', other: 'unused' };
    const offered = [{ ...offer('a.b@1.0.0', { inputs_schema }), meanings }];
    const [tool] = toolsOf({ orbiset: orbiset(), offered, sandbox: false }).tools;
    expect(tool?.['inputSchema']).to.deep.equal({
      type: 'object',
      required: ['a'],
      properties: {
        a: { type: 'string', maxLength: 5, description: 'first' },
        b: { type: 'string', description: 'own' },
        c: {
          type: 'array',
          description: 'third',
          items: { type: 'object', properties: { a: { type: 'string', description: 'inner' } } },
        },
        d: { description: 'any' },
        e: false,
      },
    });
  });

  it('of the shipped Orbs have words for every input', () => {
    const capabilities = new Map(builtin.adapters.map(({ capability, inputs }) => [capability, inputs]));
    const folder = join(packageDir, 'data/orbs');
    for (const file of readdirSync(folder)) {
      const one = createOrb(JSON.parse(readFileSync(join(folder, file), 'utf8')), []) ?? expect.fail(file);
      const meanings = capabilities.get(one.manifest.capability) ?? {};
      const offered = [{ orb: one, tier: 'none', meanings, deprecated: false }];
      const [tool] = toolsOf({ orbiset: orbiset(), offered, sandbox: false }).tools;
      expect(wordless(tool?.['inputSchema']), file).to.deep.equal([]);
    }
  });
});

/** Lists the properties of a schema that have no description. */
function wordless(schema: unknown): string[] {
  const { items, properties = {} } = schema as { items?: unknown; properties?: Record<string, object> };
  const own = Object.entries(properties).filter(([, member]) => !('description' in member));
  const inner = Object.values(properties).flatMap(wordless);
  return [...own.map(([name]) => name), ...inner, ...(items === undefined ? [] : wordless(items))];
}
