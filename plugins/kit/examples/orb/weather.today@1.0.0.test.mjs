// Runs alone: node --test. Whether the manifest is sound, orb config check says.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const manifest = JSON.parse(readFileSync(new URL('./weather.today@1.0.0.json', import.meta.url), 'utf8'));

test('bears the id its file is named after', () => assert.equal(manifest.orb_id, 'weather.today@1.0.0'));

for (const side of ['inputs_schema', 'outputs_schema'])
  test(`${side} refuses what it does not name, and limits every text that comes in`, () => {
    const { additionalProperties, required = [], properties = {} } = manifest[side];
    assert.equal(additionalProperties, false);
    for (const name of required) assert.ok(name in properties, `${name} is required and not described`);
    const open = Object.entries(properties).filter(([, { type, maxLength }]) => type === 'string' && !maxLength);
    if (side === 'inputs_schema') assert.deepEqual(open, []);
  });

test('says what a run does to the world', () =>
  assert.ok(['none', 'idempotent', 'reversible', 'irreversible'].includes(manifest.effect)));
