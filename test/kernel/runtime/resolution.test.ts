import { expect } from 'chai';
import { silentLog } from '../../../kernel/log.ts';
import { providerKey } from '../../../kernel/runtime/attempt.ts';
import { resolveInBackground, type ResolveOptions } from '../../../kernel/runtime/resolution.ts';
import type { RunRow } from '../../../kernel/runtime/store.ts';

const run = (run_id: string, provider: string): RunRow =>
  ({
    run_id,
    provider,
    orb_id: 'a.b@1.0.0',
    orbiset_id: 'default',
    tenant: 'default',
    status: 'indeterminate',
    mode: 'live',
  }) as RunRow;

describe('the look-up in the background', () => {
  it('asks by our key, settles what can be known, and leaves the rest', async () => {
    const asked: string[] = [];
    const facts: object[] = [];
    const answers: Record<string, unknown> = { run_1: { id: 1 }, run_2: 'absent', run_3: undefined };
    const runs = Object.keys(answers).map((id) => run(id, 'vendor'));
    const lookup = async (key: string): Promise<unknown> => {
      asked.push(key);
      return answers[runs.find(({ run_id }) => providerKey(run_id, 'vendor') === key)?.run_id ?? ''];
    };
    const options = {
      reads: { findRun: () => undefined, listRuns: () => [...runs, run('run_4', 'gone')] },
      hooks: {
        attest: async ({ fact }: { fact: object }) => {
          facts.push(fact);
          return { receipt_id: 'rec_1' };
        },
      },
      bindings: { orderOf: () => [{ provider: { name: 'vendor' }, generation: { transport: { lookup } } }] },
      clock: { now: () => 0, monotonic: () => 0 },
      log: silentLog,
    } as unknown as ResolveOptions;
    const background = resolveInBackground(options);
    expect(await background.now()).to.equal(2);
    background.stop();
    expect(asked).to.have.length(3);
    expect(
      facts.map((fact) => fact as { run_id: string; facts: object }).map(({ run_id, facts: said }) => [run_id, said]),
    ).to.deep.equal([
      ['run_1', { outcome: 'sent', status: 'completed', by: 'lookup' }],
      ['run_2', { outcome: 'not_sent', status: 'failed', by: 'lookup' }],
    ]);
  });
});
