import { orbId, parseOrbId } from '../../runtime/orb-id.ts';
import { checkName, type Project } from './project.ts';

/** Makes the manifest of an Orb `<namespace>.<name>`, version 1.0.0 unless it says another. */
export function orbProject(name: string): Project {
  const id = name.includes('@') ? name : `${name}@1.0.0`;
  checkName(id, new RegExp(orbId.pattern), 'weather.today');
  const { namespace } = parseOrbId(id);
  const manifest = {
    manifest_version: 1,
    orb_id: id,
    title: id,
    description: 'Says in one sentence what a run of it does.',
    capability: namespace.split('.').at(-1)?.replaceAll('_', '-'),
    inputs_schema: {
      type: 'object',
      additionalProperties: false,
      required: ['text'],
      properties: { text: { type: 'string', minLength: 1, maxLength: 10_000 } },
    },
    outputs_schema: {
      type: 'object',
      additionalProperties: false,
      required: ['text'],
      properties: { text: { type: 'string' } },
    },
    effect: 'irreversible',
    action_class: 'write',
    data_classes: ['internal'],
    timeout_ms: 10_000,
  };
  return {
    files: {
      [`data/orbs/${id}.json`]: `${JSON.stringify(manifest, null, 2)}\n`,
      [`data/orbs/${id}.test.mjs`]: testText(id),
    },
    next: [
      `node --test data/orbs/${id}.test.mjs`,
      'orb config check',
      `then a provider for it: orb new provider ${manifest.capability}/NAME`,
    ].join('\n'),
  };
}

function testText(id: string): string {
  return `// Runs alone: node --test. Whether the manifest is sound, orb config check says.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const manifest = JSON.parse(readFileSync(new URL('./${id}.json', import.meta.url), 'utf8'));

test('bears the id its file is named after', () => assert.equal(manifest.orb_id, '${id}'));

for (const side of ['inputs_schema', 'outputs_schema'])
  test(\`\${side} refuses what it does not name, and limits every text that comes in\`, () => {
    const { additionalProperties, required = [], properties = {} } = manifest[side];
    assert.equal(additionalProperties, false);
    for (const name of required) assert.ok(name in properties, \`\${name} is required and not described\`);
    const open = Object.entries(properties).filter(([, { type, maxLength }]) => type === 'string' && !maxLength);
    if (side === 'inputs_schema') assert.deepEqual(open, []);
  });

test('says what a run does to the world', () =>
  assert.ok(['none', 'idempotent', 'reversible', 'irreversible'].includes(manifest.effect)));
`;
}
