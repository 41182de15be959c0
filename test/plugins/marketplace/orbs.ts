import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Makes the manifest of an Orb that echoes; `more` goes over it. */
export function manifestOf(orbId: string, more: object = {}): object {
  const text = { type: 'object', required: ['text'], properties: { text: { type: 'string' } } };
  return {
    manifest_version: 1,
    orb_id: orbId,
    title: `Title of ${orbId}`,
    description: `What ${orbId} does.`,
    capability: 'echo',
    inputs_schema: text,
    outputs_schema: text,
    effect: 'none',
    action_class: 'read',
    timeout_ms: 5000,
    latency_objective_ms: 100,
    ...more,
  };
}

/** Writes the manifest of an Orb into a home. */
export function writeOrb(home: string, orbId: string, more: object = {}): void {
  const dir = join(home, 'data/orbs');
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, `${orbId}.json`), JSON.stringify(manifestOf(orbId, more)));
}
