import { expect } from 'chai';
import { PlatformError, type ProblemCode } from '../../../../kernel/error.ts';
import type { Fact } from '../../../../kernel/fact.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';
import { recoverRuns, type RecoverOptions } from '../../../../plugins/runtime/recovery/run-recovery.ts';
import type { Attempt, Receipt, RunFact } from '../../../../plugins/runtime/facts/facts.ts';

const attempt = (provider: string, phase: string): Attempt => ({
  ...{ provider, adapter: 'x/y', generation: 1, config_digest: 'sha256:0', latency_ms: 0 },
  ...{ outcome: 'unknown', phase },
});

/** Recovers one run whose attempts are these; the last provider answers the look-up with `found`. */
async function recovered(attempts: readonly Attempt[], found: unknown, more: object = {}): Promise<RunFact> {
  return (await recoveredWith(attempts, found, more)).fact;
}

/** The same, with the names of the writes that commit with its receipt: the caller's key was in use by the run. */
async function recoveredWith(
  attempts: readonly Attempt[],
  found: unknown,
  more: object = {},
  meter?: object,
): Promise<{ fact: RunFact; writes: string[]; kept: unknown[] }> {
  const writes: string[] = [];
  const kept: unknown[] = [];
  const facts: RunFact[] = [];
  const left = {
    ...{ kind: 'run', run_id: 'run_1', orb_id: 'a.b@1.0.0', started_at: '2026-01-01T00:00:00.000Z' },
    ...{ inputs: '{}', status: 'indeterminate', reason: 'interrupted', ...more },
    facts: { attempts, schema: { inputs: 'valid', outputs: 'unchecked' }, outcome: 'unknown' },
  };
  const validate = ({ id }: { id?: unknown }) => (id === undefined ? [{ pointer: '#/id', detail: 'is required' }] : []);
  const name = attempts.at(-1)?.provider ?? '';
  const binding = {
    orb: { outputs: { absent: false, validate } },
    order: [{ provider: { name }, generation: { transport: { lookup: async () => found } } }],
  };
  await recoverRuns({
    store: {
      reads: () => ({
        find: () => undefined,
        callersOf: () => new Map(),
        openKeys: () => [{ subject: 'run_1', answer: null, expires_at: Date.parse('2025-12-31T00:00:00.000Z') }],
        openKeysOf: () => [],
        openRuns: () => [{ run_id: 'run_1', fact: JSON.stringify(left) }],
      }),
      sealer: { open: (_: string, sealed: string) => sealed },
    },
    hooks: {
      attest: async ({ fact, operations }: Fact<RunFact>) => {
        facts.push(fact);
        for (const { name, args } of operations('rec_1', {} as Receipt)) {
          writes.push(name);
          if (name === 'finishKey') kept.push((args as { readonly expires_at: number }).expires_at);
        }
      },
    },
    bindings: { find: () => binding, orderOf: () => binding.order },
    clock: { now: () => Date.parse('2026-01-01T00:00:01.000Z') },
    log: silentLog,
    meter,
  } as unknown as RecoverOptions);
  return { fact: facts[0] ?? expect.fail('no receipt'), writes, kept };
}

describe('a run that a crash cut off', () => {
  it('that cannot be read or cannot have its receipt keeps neither the others nor the start from going on', async () => {
    const attested: string[] = [];
    const left = (run_id: string): string =>
      JSON.stringify({ run_id, orb_id: 'a.b@1.0.0', inputs: '{}', facts: { attempts: [] } });
    const open = [
      { run_id: 'run_1', fact: 'sealed by another key' },
      { run_id: 'run_2', fact: left('run_2') },
      { run_id: 'run_3', fact: left('run_3') },
    ];
    const recovering = recoverRuns({
      store: {
        reads: () => ({
          find: () => undefined,
          callersOf: () => new Map(),
          openKeys: () => [],
          openKeysOf: () => [],
          openRuns: () => open,
        }),
        sealer: { open: (_: string, it: string) => it },
      },
      hooks: {
        attest: async ({ fact: { run_id } }: { fact: RunFact }) => {
          if (run_id === 'run_2') throw new Error('this fact cannot be signed');
          attested.push(run_id);
        },
      },
      bindings: { find: () => undefined },
      clock: { now: () => 0 },
      log: silentLog,
    } as unknown as RecoverOptions);
    expect([await recovering, attested]).to.deep.equal([1, ['run_3']]);
  });

  for (const code of ['storage_unavailable', 'overloaded'] as const satisfies readonly ProblemCode[])
    it(`is not forgotten with the process that left it when the store answers ${code}`, async () => {
      const fact = JSON.stringify({ run_id: 'run_1', orb_id: 'a.b@1.0.0', inputs: '{}', facts: { attempts: [] } });
      const reads = { find: () => undefined, callersOf: () => new Map(), openKeys: () => [], openKeysOf: () => [] };
      const options = {
        store: {
          reads: () => ({ ...reads, openRuns: () => [{ run_id: 'run_1', fact }] }),
          sealer: { open: (_: string, it: string) => it },
        },
        hooks: { attest: () => Promise.reject(new PlatformError(code)) },
        bindings: { find: () => undefined },
        clock: { now: () => 0 },
        log: silentLog,
      } as unknown as RecoverOptions;
      const told = recoverRuns(options, { name: 'b', incarnation: 'b-1' });
      expect(await told.catch((error: unknown) => (error as PlatformError).code)).to.equal(code);
      expect(await recoverRuns(options), 'its own start goes on').to.equal(0);
    });

  it('of a metered Orb has failed, and its reservation is settled with its receipt: whether it is billed is unknown', async () => {
    const settled: unknown[] = [];
    const meter = {
      settle: async (run: object, end: object) => {
        settled.push(run, end);
        return { operations: [{ store: 'budgets', name: 'settle', args: {} }], facts: { prices_digest: 'sha256:1' } };
      },
    };
    const metered = {
      principal: { id: 'prn_1', key_id: 'key_1', tenant: 't' },
      candidates: [{ provider: 'a', adapter: 'x/y' }],
    };
    const left = { metered, status: 'failed', orbiset_id: 'default', mode: 'live', inputs: '{"model":"m"}' };
    const { fact, writes } = await recoveredWith([attempt('a', 'interrupted')], undefined, left, meter);
    expect([fact.status, fact.reason, fact.facts.usage]).to.deep.equal(['failed', 'interrupted', undefined]);
    expect(fact.facts.prices_digest).to.equal('sha256:1');
    expect(writes).to.include.members(['closeRun', 'settle', 'finishKey']);
    const run = { run_id: 'run_1', orbiset_id: 'default', inputs: { model: 'm' } };
    expect(settled[0]).to.deep.include({ ...metered, ...run });
    expect(settled[1]).to.deep.include({ status: 'failed', reason: 'interrupted', billed: 'unknown', provider: 'a' });
  });

  it('completes when the provider that was called last shows what it did', async () => {
    const { facts, reason, status } = await recovered([attempt('a', 'interrupted')], { id: 1 });
    expect([status, reason, facts.outcome, facts.schema.outputs]).to.deep.equal([
      'completed',
      undefined,
      'accepted',
      'valid',
    ]);
  });

  it('is read as earlier builds left it: with the inputs themselves instead of their canonical form', async () => {
    const { inputs } = await recovered([attempt('a', 'interrupted')], { id: 1 }, { inputs: { b: 1, a: 2 } });
    expect(inputs).to.equal('{"a":2,"b":1}');
  });

  it('has taken from its start until now, and no time at all when the clock was set back', async () => {
    const took = async (started_at: string) => {
      const { execution_ms, finished_at } = await recovered([attempt('a', 'interrupted')], undefined, { started_at });
      return [execution_ms, finished_at];
    };
    const now = '2026-01-01T00:00:01.000Z';
    expect(await took('2026-01-01T00:00:00.250Z')).to.deep.equal([750, now]);
    expect(await took('2026-01-01T00:00:02.000Z')).to.deep.equal([0, now]);
  });

  it('fails when what the provider shows breaks the schema of the Orb', async () => {
    const { facts, reason, status } = await recovered([attempt('a', 'interrupted')], { other: 1 });
    expect([status, reason, facts.outcome, facts.schema.outputs]).to.deep.equal([
      'failed',
      'invalid_outputs',
      'invalid_outputs',
      'invalid',
    ]);
    expect(facts.attempts[0]).to.include({ outcome: 'invalid_outputs', lookup: 'present' });
  });

  it('fails when what the provider shows has no canonical form, and is not committed to', async () => {
    const fact = await recovered([attempt('a', 'interrupted')], { id: '\ud800' });
    expect([fact.status, fact.reason, 'outputs' in fact]).to.deep.equal(['failed', 'invalid_outputs', false]);
  });

  it('fails when the only provider that was called proves that it has nothing', async () => {
    const { facts, status } = await recovered([attempt('a', 'interrupted')], 'absent');
    expect([status, facts.attempts[0]?.lookup]).to.deep.equal(['failed', 'absent']);
  });

  for (const found of ['absent', { other: 1 }])
    it(`stays unknown when a provider before was silent, whatever the last one shows: ${JSON.stringify(found)}`, async () => {
      const { facts, reason, status } = await recovered([attempt('a', 'data'), attempt('b', 'interrupted')], found);
      expect([status, reason, facts.outcome]).to.deep.equal(['indeterminate', 'interrupted', 'unknown']);
    });

  it('ends its intent, and its key gets its answer, or is free when nothing was sent', async () => {
    const writes = async (found: unknown) => (await recoveredWith([attempt('a', 'interrupted')], found)).writes;
    expect(await writes({ id: 1 })).to.deep.equal(['insertRun', 'closeRun', 'finishKey']);
    expect(await writes(undefined)).to.deep.equal(['insertRun', 'closeRun', 'finishKey']);
    expect(await writes('absent')).to.deep.equal(['insertRun', 'closeRun', 'freeKey']);
  });

  it('keeps the answer of its key for a day from now, however long the service was away', async () => {
    const { kept } = await recoveredWith([attempt('a', 'interrupted')], undefined);
    expect(kept).to.deep.equal([Date.parse('2026-01-02T00:00:01.000Z')]);
  });
});
