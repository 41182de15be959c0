// Runs alone: node --test.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunSettled } from 'agent-orb-kit';
import { storeChecks } from 'agent-orb-kit/conformance';
import plugin from './index.ts';
import store, { type Tally } from './store.ts';

for (const { title, run } of storeChecks(store)) test(`the store ${title}`, run);

test('writes each run that ended, and answers what the store holds', async () => {
  type Listener = (run: Pick<RunSettled, 'status'>) => Promise<void>;
  let settled: Listener = () => assert.fail('nothing was tapped');
  const hooks = { runSettled: { tap: (_: string, listener: Listener) => (settled = listener) } };
  const written: unknown[] = [];
  const rows: readonly Tally[] = [{ status: 'completed', runs: 2 }];
  const opened = { reads: () => ({ all: () => rows }), write: async (list: unknown[]) => void written.push(...list) };
  // The plugin uses only the hooks and the store of its scope.
  const scope = { hooks, store: opened } as unknown as Parameters<typeof plugin.start>[0];
  const { routes = [] } = await plugin.start(scope);
  await settled({ status: 'failed' });
  assert.equal(written.length, 1);
  assert.deepEqual(await routes[0]?.handle({} as never), { completed: 2 });
});
