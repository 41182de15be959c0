import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { PlatformError } from '../../../../kernel/error.ts';
import type { Attestation, Fact } from '../../../../kernel/fact.ts';
import { StoreRetry } from '../../../../plugins/runtime/journal/store-retry.ts';
import { unknownStanding } from '../../../../plugins/runtime/facts/facts.ts';
import { Execution, type ExecutionOptions } from '../../../../plugins/runtime/run/execution.ts';
import { Descriptions } from '../../../../plugins/runtime/run/described.ts';
import { OpenRuns, RunLimits } from '../../../../plugins/runtime/run/run-limits.ts';
import { LimitedWaits } from '../../../../plugins/postgres/peers/limited-waits.ts';
import type { Operation } from '../../../../kernel/store/contract.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';
import { rejection } from '../../../helpers/stores/open.ts';
import { until } from '../../../helpers/until.ts';
import { DispatchBed, type RunOptions } from '../dispatch-bed.ts';
import type { RunSettled } from '../../../../plugins/runtime/facts/hooks.ts';

const receipt = { receipt_id: 'rec_1', signature_valid: true, timestamp: 't' };
const principal = { id: 'prn_1', key_id: 'key_1', tenant: 'default', scopes: [], mode: 'live' };

describe('a run whose caller waits while the database is away', () => {
  let bed: DispatchBed;
  let waits: LimitedWaits;
  let openRuns: OpenRuns;
  let told: RunSettled[];
  let facts: Fact['fact'][];
  let operations: readonly Operation[];
  let attest: () => Promise<Attestation>;

  beforeEach(() => {
    [bed, waits, openRuns] = [new DispatchBed(), new LimitedWaits(0), new OpenRuns()];
    [told, facts, operations] = [[], [], []];
    attest = () => Promise.resolve(receipt);
  });
  afterEach(() => waits.back());

  async function begin(options: RunOptions): Promise<unknown> {
    const slot = await bed.slot('a', [() => ({ ok: true })]);
    const { orb } = bed.run([], options);
    const orbiset = { id: 'default', tenant: 'default', orbs: ['*'] };
    // Of hooks, bindings and store, a run asks for nothing else.
    const execution = new Execution({
      ...bed.options({ ...options, waits }),
      descriptions: new Descriptions(),
      ...{ openRuns, limits: new RunLimits({}), retry: new StoreRetry(silentLog), version: '1.0.0' },
      catalog: { orbs: new Map([[orb.orb_id, orb]]), orbisets: new Map([['default', orbiset]]) },
      parsers: new Map(),
      bindings: { find: () => ({ order: [slot] }) },
      store: { admit: () => undefined, installation: 'ins_1' },
      ...{
        standing: () => unknownStanding,
        ids: () => 'run_1',
        announce: (event: RunSettled) => void told.push(event),
      },
      hooks: {
        decide: () => ({ allow: true, policies: [], warns: 0, shadow_denies: 0 }),
        attest({ fact, operations: more }: Fact) {
          facts.push(fact);
          operations = more('rec_1', undefined);
          return attest();
        },
      },
    } as unknown as ExecutionOptions);
    const { orb_id } = orb;
    const call = { orbiset_id: 'default', orb_id, inputs: { token: 'x' }, client_ip: '127.0.0.1', principal };
    return rejection(execution.run(call as Parameters<Execution['run']>[0]));
  }
  const names = (): string[] => operations.map(({ name }) => name);
  const open = (): number[] => ['test.record@1.0.0', 'default'].map((id) => openRuns.of(id));

  it('answers 503 without a run when its intent is not recorded in time, and sends nothing when it is', async () => {
    const intent = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const intend = () => (begun.resolve(), intent.promise);
    const running = begin({ effect: 'irreversible', intend });
    await begun.promise;
    await nextTurn();
    waits.away();
    const error = await running;
    expect(error).to.include({ code: 'storage_unavailable' }).and.nested.include({ 'extensions.retry_after': 1 });
    expect((error as PlatformError).extensions).to.not.have.property('run_id');
    expect([facts, open()]).to.deep.equal([[], [1, 1]]);
    intent.resolve();
    await until(
      () => told.length,
      (count) => count === 1,
      'its receipt',
    );
    expect(facts[0]).to.include({ status: 'failed', reason: 'storage_unavailable' });
    expect([bed.calls, names()]).to.deep.equal([[], ['insertRun', 'useManifest', 'closeRun']]);
    await until(open, ([one]) => one === 0, 'its end');
  });

  it('leaves nothing when its intent was never recorded', async () => {
    const intent = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const intend = () => (begun.resolve(), intent.promise);
    const running = begin({ effect: 'irreversible', intend });
    await begun.promise;
    await nextTurn();
    waits.away();
    await running;
    intent.reject(new PlatformError('storage_unavailable'));
    await until(open, ([one]) => one === 0, 'its end');
    expect([facts, bed.calls]).to.deep.equal([[], []]);
  });

  for (const effect of ['none', 'irreversible'] as const)
    it(`answers 503 with its id when it was sent, and is told when it has its receipt: effect ${effect}`, async () => {
      const recording = Promise.withResolvers<Attestation>();
      const begun = Promise.withResolvers<void>();
      attest = () => (begun.resolve(), recording.promise);
      const running = begin({ effect });
      await begun.promise;
      await nextTurn();
      waits.away();
      expect(await running)
        .to.include({ code: 'storage_unavailable' })
        .and.nested.include({ 'extensions.run_id': 'run_1' });
      expect([told, bed.calls]).to.deep.equal([[], ['a']]);
      recording.resolve(receipt);
      await until(open, ([one]) => one === 0, 'its end');
      expect(told.map(({ status }) => status)).to.deep.equal(['completed']);
    });
});
