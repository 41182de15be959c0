import { expect } from 'chai';
import type { Attestation, Fact } from '../../../../kernel/fact.ts';
import { PlatformError, ProviderError } from '../../../../kernel/error.ts';
import { platformRefusal } from '../../../../plugins/runtime/outcome/outcome.ts';
import type { Slot } from '../../../../plugins/runtime/provider/binding.ts';
import type { Claim } from '../../../../plugins/runtime/journal/keys.ts';
import { StoreRetry } from '../../../../plugins/runtime/journal/store-retry.ts';
import type { Orbiset } from '../../../../plugins/runtime/catalog/orbiset.ts';
import { Execution, type ExecutionOptions } from '../../../../plugins/runtime/run/execution.ts';
import { Descriptions } from '../../../../plugins/runtime/run/described.ts';
import { OpenRuns, RunLimits } from '../../../../plugins/runtime/run/run-limits.ts';
import { unknownStanding } from '../../../../plugins/runtime/facts/facts.ts';
import type { Operation } from '../../../../kernel/store/contract.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';
import { rejection } from '../../../helpers/stores/open.ts';
import { DispatchBed, type RunOptions, type Script } from '../dispatch-bed.ts';
import type { RunSettled } from '../../../../plugins/runtime/facts/hooks.ts';

const allowed = { allow: true, policies: [], warns: 0, shadow_denies: 0 };
const denied = { ...allowed, allow: false, reasons: [{ code: 'too_late' }], decision_id: 'dec_1' };
const receipt = { receipt_id: 'rec_1', signature_valid: true, timestamp: 't' };
const fullDisk = (): never => {
  throw new PlatformError('storage_unavailable', 'the disk is full');
};

describe('executing a run', () => {
  let bed: DispatchBed;
  let slot: Slot;
  let orbiset: Orbiset;
  let openRuns: OpenRuns;
  let retry: StoreRetry;
  let told: RunSettled[];
  let facts: Fact['fact'][];
  let operations: readonly Operation[];
  let authorize: () => unknown;
  let attest: () => Attestation | undefined;
  /** How many runs held the provider when its result was attested. */
  let heldAtAttest: number | undefined;

  beforeEach(() => {
    bed = new DispatchBed();
    orbiset = { id: 'default', tenant: 'default', orbs: ['*'] };
    openRuns = new OpenRuns();
    retry = new StoreRetry(silentLog);
    [told, facts, operations, heldAtAttest] = [[], [], [], undefined];
    authorize = () => allowed;
    attest = () => receipt;
  });

  async function execution(script: Script = [() => ({ ok: true })], run: RunOptions = {}): Promise<Execution> {
    slot = await bed.slot('a', script);
    const { orb } = bed.run([], run);
    // Of hooks, bindings and store, a run asks for nothing else.
    const options = {
      ...bed.options(run),
      parsers: new Map(),
      catalog: { orbs: new Map([[orb.orb_id, orb]]), orbisets: { get: () => orbiset } },
      bindings: { find: () => ({ order: [slot] }) },
      store: { admit: () => undefined, installation: 'ins_1' },
      standing: () => unknownStanding,
      ids: (prefix: string) => `${prefix}_1`,
      hooks: {
        decide: () => authorize(),
        async attest({ fact, operations: more }: Fact) {
          facts.push(fact);
          heldAtAttest = slot.generation?.in_flight;
          const summary = { receipt_id: 'rec_1', timestamp: 't' };
          operations = more('rec_1', summary);
          return Promise.resolve(attest());
        },
      },
      descriptions: new Descriptions(),
      ...{ limits: new RunLimits({}), openRuns, retry, version: '1.0.0' },
      announce: (event: RunSettled) => void told.push(event),
    };
    return new Execution(options as unknown as ExecutionOptions);
  }
  const request = (more: object = {}) => ({
    ...{ orbiset_id: 'default', orb_id: 'test.record@1.0.0', inputs: { token: 'x' }, client_ip: '127.0.0.1' },
    principal: { id: 'prn_1', key_id: 'key_1', tenant: 'default', scopes: [], mode: 'live' as const },
    ...more,
  });
  const names = (): string[] => operations.map(({ name }) => name);
  const open = (): number[] => ['test.record@1.0.0', 'default'].map((id) => openRuns.of(id));

  /** Nothing is held of a run that is over. */
  function expectFree(): void {
    expect([slot.generation?.in_flight, ...open()]).to.deep.equal([0, 0, 0]);
  }

  it('answers its outputs and its receipt, and tells that it is over', async () => {
    const found = await (await execution()).run(request());
    expect(found).to.deep.include({ run_id: 'run_1', status: 'completed', outputs: { ok: true }, receipt });
    expect(told.map(({ run_id, status, receipt_id }) => [run_id, status, receipt_id])).to.deep.equal([
      ['run_1', 'completed', 'rec_1'],
    ]);
    expect(told[0]).to.include({ usable: true }).and.to.have.nested.property('provider.name', 'a');
    expectFree();
  });

  it('holds its provider until it has its outcome, and no longer: not while that is recorded', async () => {
    const during: (number | undefined)[] = [];
    const executed = await execution([() => (during.push(slot.generation?.in_flight, ...open()), {})]);
    await executed.run(request());
    expect([during, heldAtAttest]).to.deep.equal([[1, 1, 1], 0]);
  });

  it('that is denied calls nobody, and is recorded with the reasons', async () => {
    authorize = () => Promise.resolve(denied);
    const error = await rejection((await execution()).run(request()));
    expect(error).to.be.instanceOf(PlatformError);
    expect((error as PlatformError).extensions).to.deep.include({
      ...{ run_id: 'run_1', run_status: 'denied', receipt, reasons: denied.reasons, decision_id: 'dec_1' },
    });
    expect(bed.calls).to.deep.equal([]);
    expect(facts[0]).to.include({ status: 'denied' });
    expectFree();
  });

  for (const [what, fail] of [
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no'))],
  ] as const)
    it(`is denied when the deciding plugin ${what}`, async () => {
      authorize = fail;
      const error = await rejection((await execution()).run(request()));
      expect((error as PlatformError).extensions).to.deep.include({ reasons: [{ code: 'policy_error' }] });
      expect(bed.calls).to.deep.equal([]);
      expectFree();
    });

  it('that fails answers a problem with its receipt', async () => {
    const fails = () => {
      throw new ProviderError('rejected', 'no');
    };
    const error = await rejection((await execution([fails])).run(request()));
    expect((error as PlatformError).extensions).to.deep.include({ run_status: 'failed', receipt });
    expect((error as PlatformError).extensions).to.not.have.any.keys('reasons', 'decision_id', 'opening');
    expectFree();
  });

  it('answers the opening of its commitments beside the receipt, when it was asked for', async () => {
    const opening = { inputs: { salt: 's' } };
    attest = () => ({ ...receipt, opening }) as unknown as Attestation;
    expect(await (await execution()).run(request())).to.deep.include({ receipt, opening });
  });

  for (const [what, fail] of [
    [
      'refused',
      () => {
        throw new PlatformError('overloaded', 'full', { retry_after: 1 });
      },
    ],
  ] as const)
    it(`is a problem with its id when its receipt is ${what}; nobody is told, and nothing stays held`, async () => {
      attest = fail;
      const error = await rejection((await execution()).run(request()));
      expect(error).to.be.instanceOf(PlatformError);
      expect((error as PlatformError).extensions).to.include({ run_id: 'run_1' });
      expect(told).to.deep.equal([]);
      expectFree();
    });

  it('is a problem that names no run when it was not begun, and its receipt is refused', async () => {
    attest = fullDisk;
    authorize = () => denied;
    const refused = await rejection((await execution()).run(request()));
    expect(refused).to.include({ code: 'storage_unavailable' }).and.not.to.have.nested.property('extensions.run_id');
    authorize = () => allowed;
    const intend = () => fullDisk();
    const unintended = await rejection((await execution(undefined, { effect: 'irreversible', intend })).run(request()));
    expect(unintended).to.include({ code: 'storage_unavailable' }).and.not.to.have.nested.property('extensions.run_id');
    expectFree();
  });

  it('that had an effect stays open until its receipt is taken, and is told then', async () => {
    attest = fullDisk;
    await rejection((await execution(undefined, { effect: 'irreversible' })).run(request()));
    expect([told, open()]).to.deep.equal([[], [1, 1]]);
    attest = () => receipt;
    await retry.close();
    expect(told.map(({ status, receipt_id }) => [status, receipt_id])).to.deep.equal([['completed', 'rec_1']]);
    expect(names()).to.include('closeRun');
    expectFree();
  });

  for (const [what, code] of [
    ['refused for good', 'run_ended'],
    ['that left no trace', 'storage_unavailable'],
  ] as const)
    it(`is not recorded later when it is ${what}`, async () => {
      attest = () => {
        throw new PlatformError(code);
      };
      const effect = what === 'refused for good' ? 'irreversible' : 'none';
      await rejection((await execution(undefined, { effect })).run(request()));
      await retry.close();
      expect([facts.length, told]).to.deep.equal([1, []]);
      expectFree();
    });

  it('above the limit of its Orbiset is refused, and holds nothing; one after another may run', async () => {
    orbiset = { ...orbiset, limits: { concurrency: 1 } };
    const { promise: waits, resolve: go } = Promise.withResolvers<object>();
    const executed = await execution([() => waits as Promise<Record<string, unknown>>, () => ({})]);
    const first = executed.run(request());
    await bed.called(1);
    expect(await rejection(executed.run(request()))).to.include({ code: 'rate_limited' });
    expect([slot.generation?.in_flight, ...open()]).to.deep.equal([1, 1, 1]);
    go({});
    await first;
    await executed.run(request());
    expectFree();
  });

  it('that is denied for the eleventh time in a second is not recorded', async () => {
    authorize = () => denied;
    const executed = await execution();
    for (let n = 0; n < 10; n++) await rejection(executed.run(request()));
    expect(facts).to.have.length(10);
    expect(await rejection(executed.run(request()))).to.include({ code: 'rate_limited' });
    expect(facts).to.have.length(10);
    expectFree();
  });

  it('gives its turn at the writer back, also when it could not be recorded', async () => {
    const executed = await execution();
    orbiset = { ...orbiset, tenant: 'other' };
    await executed.run(request({ principal: { ...request().principal, tenant: 'other' } }));
    orbiset = { ...orbiset, tenant: 'default' };
    attest = () => undefined;
    for (let n = 0; n < 9; n++) await rejection(executed.run(request()));
    expect(facts).to.have.length(10);
  });

  it('of an Orb that was used before does not mark its manifest as used again', async () => {
    const executed = await execution();
    await executed.run(request());
    expect(names()).to.deep.equal(['insertRun', 'useManifest']);
    await executed.run(request());
    expect(names()).to.deep.equal(['insertRun']);
  });

  it('ends its intents with its receipt, if it had any', async () => {
    await (await execution(undefined, { effect: 'irreversible' })).run(request());
    expect(names()).to.include('closeRun');
    authorize = () => denied;
    await rejection((await execution(undefined, { effect: 'irreversible' })).run(request()));
    expect(names()).to.not.include('closeRun');
  });

  describe('under an Idempotency-Key', () => {
    const claim = () => {
      const begun: string[] = [];
      const answers: unknown[] = [];
      const made = {
        begin: (id: string) => void begun.push(id),
        take: async () => undefined,
        finished: (answer: unknown) => (answers.push(answer), [{ name: 'finished' }]),
        freed: () => [{ name: 'freed' }],
      };
      return { begun, answers, claim: made as unknown as Claim };
    };

    it('stores its answer with its receipt', async () => {
      const { answers, begun, claim: made } = claim();
      await (await execution()).run(request({ claim: made }));
      expect([begun, names().at(-1)]).to.deep.equal([['run_1'], 'finished']);
      expect(answers[0])
        .to.have.nested.property('body.receipt')
        .that.deep.equals({ receipt_id: 'rec_1', timestamp: 't' });
    });

    it('frees the key when the node lost its lease before anything was sent: 503, and a repetition runs', async () => {
      const { claim: made } = claim();
      const fence = () => platformRefusal('lease', 'this node has no connection to the database; nothing was sent');
      const executed = await execution(undefined, { effect: 'irreversible', fence });
      const error = await rejection(executed.run(request({ claim: made })));
      expect(error).to.include({ code: 'storage_unavailable' });
      expect((error as PlatformError).extensions).to.deep.include({ run_status: 'failed', receipt, retry_after: 1 });
      expect([bed.calls, names().slice(-2)]).to.deep.equal([[], ['closeRun', 'freed']]);
      expect(facts[0]).to.include({ status: 'failed', reason: 'storage_unavailable' });
      expect(facts[0], 'counts for no provider').to.not.have.nested.property('facts.provider');
    });

    it('frees the key when nothing was sent', async () => {
      const { claim: made } = claim();
      authorize = () => denied;
      await rejection((await execution()).run(request({ claim: made })));
      expect(names().at(-1)).to.equal('freed');
    });
  });
});
