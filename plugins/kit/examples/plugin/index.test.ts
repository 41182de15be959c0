// Runs alone: node --test.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunSettled } from 'agent-orb-kit';
import plugin from './index.ts';

type Listener = (run: Pick<RunSettled, 'status'>) => void;

test('counts runs by how they ended', async () => {
  let settled: Listener = () => assert.fail('nothing was tapped');
  const hooks = { runSettled: { tap: (_: string, listener: Listener) => (settled = listener) } };
  // The plugin uses only the hooks of its scope.
  const { routes = [] } = await plugin.start({ hooks } as unknown as Parameters<typeof plugin.start>[0]);
  for (const status of ['completed', 'completed', 'failed'] as const) settled({ status });
  assert.equal(routes[0]?.path, '/tally');
  assert.deepEqual(routes[0]?.handle({} as never), { completed: 2, failed: 1 });
});
