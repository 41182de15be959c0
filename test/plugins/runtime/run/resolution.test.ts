import { expect } from 'chai';
import { silentLog } from '../../../../kernel/tools/log.ts';
import { providerKey } from '../../../../plugins/runtime/facts/provider-key.ts';
import { resolveInBackground, type ResolveOptions } from '../../../../plugins/runtime/run/resolution.ts';
import { runRow } from '../../../../plugins/runtime/run/run-fact.ts';
import type { RunRow } from '../../../../plugins/runtime/store.ts';
import { nobodyElse } from '../../../../kernel/store/peers.ts';
import type { RunFact } from '../../../../plugins/runtime/facts/facts.ts';

const run = (run_id: string, ...silent: string[]): RunRow =>
  ({
    run_id,
    provider: 'first',
    silent: JSON.stringify(silent),
    orb_id: 'a.b@1.0.0',
    orbiset_id: 'default',
    tenant: 'default',
    status: 'indeterminate',
    mode: 'live',
  }) as RunRow;

// A process that has its store for itself.
const store = { shared: false, peers: nobodyElse({ name: 'a', incarnation: '00' }, '1.0.0', 0) };

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
      reads: { findRun: () => undefined, listRuns: async () => ({ items: [...runs, run('run_4', 'gone')] }) },
      hooks: {
        attest: async ({ fact }: { fact: object }) => {
          facts.push(fact);
          return { receipt_id: 'rec_1' };
        },
      },
      bindings: {
        find: () => undefined,
        orderOf: () => [{ provider: { name: 'vendor' }, generation: { transport: { lookup } } }],
      },
      clock: { now: () => 0, monotonic: () => 0 },
      log: silentLog,
      store,
    } as unknown as ResolveOptions;
    const background = resolveInBackground(options);
    expect(await background.now()).to.equal(2);
    await background.stop();
    expect(asked).to.have.length(3);
    expect(
      facts.map((fact) => fact as { run_id: string; facts: object }).map(({ run_id, facts: said }) => [run_id, said]),
    ).to.deep.equal([
      ['run_1', { outcome: 'sent', status: 'completed', by: 'lookup' }],
      ['run_2', { outcome: 'not_sent', status: 'failed', by: 'lookup' }],
    ]);
  });

  const slot = (name: string, found: unknown) => ({
    provider: { name },
    generation: { transport: { lookup: async () => found } },
  });
  for (const { expected, found, name } of [
    { name: 'a silence of another is left', found: ['absent', undefined], expected: [] },
    { name: 'one of the silent has it', found: ['absent', { id: 1 }], expected: ['sent'] },
    { name: 'none of the silent has it', found: ['absent', 'absent'], expected: ['not_sent'] },
  ])
    it(`asks those that were silent, not the first of the order: ${name}`, async () => {
      const outcomes: unknown[] = [];
      const background = resolveInBackground({
        reads: { findRun: () => undefined, listRuns: async () => ({ items: [run('run_1', 'a', 'b')] }) },
        hooks: {
          attest: async ({ fact }: { fact: { facts: { outcome: string } } }) => {
            outcomes.push(fact.facts.outcome);
            return { receipt_id: 'rec_1' };
          },
        },
        bindings: {
          find: () => undefined,
          orderOf: () => [slot('first', 'absent'), slot('a', found[0]), slot('b', found[1])],
        },
        clock: { now: () => 0, monotonic: () => 0 },
        log: silentLog,
        store,
      } as unknown as ResolveOptions);
      await background.now();
      await background.stop();
      expect(outcomes).to.deep.equal(expected);
    });

  it('comes to every run in turn, whatever stands in the way of the others', async () => {
    const runs = Array.from({ length: 45 }, (_, at) => run(`run_${String(99 - at)}`, 'a'));
    const asked: string[] = [];
    const background = resolveInBackground({
      reads: {
        findRun: () => undefined,
        async listRuns({ before, limit }: { before: string | undefined; limit: number }) {
          const rest = runs.filter(({ run_id }) => before === undefined || run_id < before);
          const items = rest.slice(0, limit);
          return rest.length > limit ? { items, next: items.at(-1)?.run_id } : { items };
        },
      },
      hooks: { attest: () => Promise.reject(new Error('resolved by somebody else')) },
      bindings: {
        find: () => undefined,
        orderOf: () => [
          { provider: { name: 'a' }, generation: { transport: { lookup: async (key: string) => asked.push(key) } } },
        ],
      },
      clock: { now: () => 0, monotonic: () => 0 },
      log: silentLog,
      store,
    } as unknown as ResolveOptions);
    for (let round = 0; round < 3; round++) await background.now();
    expect([asked.length, new Set(asked).size]).to.deep.equal([45, 45]);
    await background.now();
    expect(asked).to.have.length(65);
    await background.stop();
  });

  it('leaves a run alone when it is not known who was silent', async () => {
    const background = resolveInBackground({
      reads: { findRun: () => undefined, listRuns: async () => ({ items: [{ ...run('run_1'), silent: null }] }) },
      bindings: { find: () => undefined, orderOf: () => [slot('first', 'absent')] },
      log: silentLog,
      store,
    } as unknown as ResolveOptions);
    expect(await background.now()).to.equal(0);
    await background.stop();
  });

  it('the row of a run names those whose silence is not settled', () => {
    const attempt = (provider: string, outcome: string, lookup?: string) => ({ provider, outcome, lookup });
    const attempts = [
      attempt('shut', 'not_sent'),
      attempt('refuses', 'unknown'),
      attempt('refuses', 'rejected'),
      attempt('asked', 'unknown', 'absent'),
      attempt('silent', 'unknown'),
      attempt('silent', 'not_sent'),
    ];
    const fact = { status: 'indeterminate', facts: { attempts } } as unknown as RunFact;
    expect(runRow(fact, 'rec_1').silent).to.equal('["silent"]');
    expect(runRow({ ...fact, status: 'completed' }, 'rec_1').silent).to.equal(null);
  });
});
