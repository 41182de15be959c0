import { expect } from 'chai';
import type { Attestation, Fact } from '../../../../kernel/fact.ts';
import { operation, PlatformError, type Store } from '../../../../kernel/index.ts';
import { createExecute } from '../../../../plugins/runtime/run/execute.ts';
import { Execution, type ExecutionOptions } from '../../../../plugins/runtime/run/execution.ts';
import { Descriptions } from '../../../../plugins/runtime/run/described.ts';
import { intends } from '../../../../plugins/runtime/run/run-fact.ts';
import { OpenRuns, RunLimits } from '../../../../plugins/runtime/run/run-limits.ts';
import { unknownStanding, type RunFact } from '../../../../plugins/runtime/facts/facts.ts';
import { IdempotencyKeys } from '../../../../plugins/runtime/journal/keys.ts';
import { createOnce } from '../../../../plugins/runtime/journal/once.ts';
import { StoreRetry } from '../../../../plugins/runtime/journal/store-retry.ts';
import journalStore from '../../../../plugins/runtime/journal/store.ts';
import runtimeStore from '../../../../plugins/runtime/store.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';
import type { OpenStore } from '../../../../kernel/store/serving/store.ts';
import { Stores } from '../../../helpers/stores/open.ts';
import { DispatchBed } from '../dispatch-bed.ts';
import { everyOrder, type Trace, type Turn } from './orders.ts';
import { readsNow } from '../../../helpers/reads.ts';
import type { Effect } from '../../../../kernel/provider/upstream.ts';

const day = 86_400_000;
const receipt = { timestamp: 't', trust_score: null, risk_level: 'low' };
const principal = { id: 'prn_1', key_id: 'key_1', tenant: 'default', scopes: [], mode: 'live' as const };

/** What two takers of one key did in one play. */
interface Play {
  readonly key: string;
  readonly time: { now: number };
  /** Ids of runs, one for each call of a provider. */
  readonly sent: string[];
  /** Ids of runs, one for each receipt. */
  readonly receipts: string[];
}

interface Answer {
  readonly answer: { readonly run_id: string };
  readonly replayed: boolean;
}

describe('two takers of one Idempotency-Key', function () {
  this.timeout(180_000);
  const stores = new Stores();
  let real: OpenStore;
  let plays = 0;
  let runs = 0;
  const closing: (() => void)[] = [];
  before(async () => {
    real = await stores.open(stores.folder(), { modules: [{ module: runtimeStore }, { module: journalStore }] });
  });
  after(() => stores.tidy());
  afterEach(() => closing.splice(0).forEach((close) => close()));

  const newPlay = (): Play => ({ key: `key-${++plays}`, time: { now: 0 }, sent: [], receipts: [] });

  /** The store as one kernel of several has it: each read and each claim is a step. */
  function storeOf(node: string, turn: Turn, shared: boolean): Store {
    const { findKey, ...rest } = readsNow(real, journalStore);
    const reads = {
      ...rest,
      async findKey(name: Parameters<typeof findKey>[0]) {
        await turn('reads');
        return findKey(name);
      },
    };
    const write = async (operations: Parameters<Store['write']>[0]) => {
      if (operations.some(({ name }) => name === 'claimRun' || name === 'claimKey')) await turn('claims');
      return real.write(operations);
    };
    return {
      ...real,
      ...{ node: { name: node, incarnation: `${node}-1` }, shared, write: write as Store['write'] },
      reads: (() => reads) as unknown as Store['reads'],
    };
  }

  function keysOf(store: Store, { time }: Play): IdempotencyKeys {
    const clock = { now: () => time.now, monotonic: () => 0 };
    const keys = new IdempotencyKeys({ store, clock, log: silentLog, check: () => true });
    closing.push(() => keys.close());
    return keys;
  }

  /** One kernel: what it sends and attests is a step each. */
  async function kernelOf(play: Play, store: Store, turn: Turn, effect: Effect) {
    const bed = new DispatchBed();
    const ids: string[] = [];
    const send = async () => {
      await turn('sends');
      play.sent.push(ids.at(-1) ?? '');
      return { ok: true };
    };
    const slot = await bed.slot('a', [send]);
    const orbiset = { id: 'default', tenant: 'default', orbs: ['*'] };
    const { orb } = bed.run([], { effect, orbTimeoutMs: 100_000 });
    const catalog = { orbs: new Map([[orb.orb_id, orb]]), orbisets: new Map([[orbiset.id, orbiset]]) };
    const attest = async ({ fact, operations: more }: Fact<RunFact>): Promise<Attestation> => {
      await turn('finishes');
      const receipt_id = `rec_${fact.run_id}`;
      const operations = more(receipt_id, { receipt_id, ...receipt });
      // The Orb has two effects here.
      await store.write(operations.filter(({ name }) => name !== 'useManifest'));
      play.receipts.push(fact.run_id);
      return { receipt_id, signature_valid: true, ...receipt };
    };
    const execution = new Execution({
      ...bed.options({ intend: intends(store) }),
      ...{
        store,
        catalog,
        parsers: new Map(),
        bindings: { find: () => ({ order: [slot] }) },
        standing: () => unknownStanding,
      },
      ids: (prefix: string) => (prefix === 'run' ? (ids.push(`run_${++runs}`), ids.at(-1)) : `${prefix}_1`),
      hooks: { attest, decide: () => ({ allow: true, policies: [], warns: 0, shadow_denies: 0 }) },
      descriptions: new Descriptions(),
      ...{ limits: new RunLimits({}), openRuns: new OpenRuns(), version: '1.0.0', announce: () => undefined },
    } as unknown as ExecutionOptions);
    const keys = keysOf(store, play);
    return createExecute({ execution, keys, catalog, repeats: undefined as never });
  }

  const callOf = (token: string) => ({
    ...{ orbiset_id: 'default', orb_id: 'test.record@1.0.0', inputs: { token }, client_ip: '127.0.0.1', principal },
  });

  const placeOf = (trace: Trace, step: string) => {
    const place = trace.indexOf(step);
    return place < 0 ? Infinity : place;
  };

  /** Checks one play: each run was sent once and has one receipt; who did not run was told why. */
  async function checkPlay(
    { key, receipts, sent }: Play,
    trace: Trace,
    ends: readonly PromiseSettledResult<unknown>[],
  ) {
    const said = trace.join(', ');
    expect(sent, said).to.deep.equal([...new Set(sent)]);
    expect([...receipts].sort(), said).to.deep.equal([...sent].sort());
    const later = placeOf(trace, 'time passes');
    const ended = ['A finishes', 'B finishes'].map((step) => placeOf(trace, step)).sort((a, b) => a - b);
    const takenOver = receipts.length === 2;
    // A second run only after the answer of the first one has expired.
    if (takenOver) expect((ended[0] ?? 0) < later && later < (ended[1] ?? 0), said).to.equal(true);
    else expect(receipts, said).to.have.length(1);
    const found = ends.map((end) => toldOf(end));
    for (const { run_id } of found) expect(run_id === undefined || receipts.includes(run_id), said).to.equal(true);
    expect(found.filter(({ how }) => how === 'ran').length, said).to.equal(receipts.length);
    const row = readsNow(real, journalStore).findKey({
      ...{ principal: 'prn_1', method: 'POST', path: '/orbisets/default/execute', key },
    });
    expect(row?.subject, said).to.equal(receipts.at(-1));
    expect(row?.answer, said).to.be.instanceOf(Uint8Array);
    return found.map(({ how }) => how).find((how) => how !== 'ran') ?? 'taken over';
  }

  function toldOf(end: PromiseSettledResult<unknown>): { readonly how: string; readonly run_id?: string | undefined } {
    if (end.status === 'fulfilled') {
      const { answer, replayed } = end.value as Answer;
      return { how: replayed ? 'replayed' : 'ran', run_id: answer.run_id };
    }
    if (!(end.reason instanceof PlatformError)) throw end.reason;
    return { how: end.reason.code, run_id: end.reason.extensions.run_id };
  }

  const openRuns = () =>
    readsNow(real, journalStore).openRuns({ node: { name: 'C', incarnation: 'C-1' }, shared: false });

  for (const effect of ['irreversible', 'none'] as const)
    for (const [what, tokens, expected] of [
      ['the same body', ['x', 'x'], ['idempotency_in_progress', 'replayed', 'taken over']],
      ['another body', ['x', 'y'], ['idempotency_mismatch', 'taken over']],
    ] as const)
      it(`with ${what}, effect ${effect}, at two kernels: one run and one receipt in every order of steps`, async () => {
        const outcomes = new Map<string, number>();
        let lost = 0;
        let play = newPlay();
        const count = await everyOrder(
          async () => {
            play = newPlay();
            const { key, time } = play;
            const taker = (node: string, token: string) => async (turn: Turn) =>
              (await kernelOf(play, storeOf(node, turn, true), turn, effect))(callOf(token), key);
            return {
              A: taker('A', tokens[0]),
              B: taker('B', tokens[1]),
              time: async (turn: Turn) => {
                await turn('passes');
                time.now += 2 * day;
              },
            };
          },
          async (trace, { A, B }) => {
            const how = await checkPlay(play, trace, [A, B] as readonly PromiseSettledResult<unknown>[]);
            outcomes.set(how, (outcomes.get(how) ?? 0) + 1);
            if (trace.filter((step) => step.endsWith('claims')).length === 2 && how !== 'taken over') lost += 1;
          },
        );
        expect([...outcomes.keys()].sort()).to.deep.equal(expected);
        // Both read that the key is free, and the claim decides.
        expect(lost).to.be.greaterThan(5);
        expect(count).to.be.greaterThan(50);
        expect(openRuns()).to.deep.equal([]);
      });

  for (const shared of [true, false])
    it(`of one kernel, without effect: one run, whose key ${shared ? 'is claimed durably' : 'stays in memory'}`, async () => {
      const play = newPlay();
      const steps: string[] = [];
      const turn = async (step: string) => void steps.push(step);
      const execute = await kernelOf(play, storeOf('A', turn, shared), turn, 'none');
      const ends = await Promise.allSettled([execute(callOf('x'), play.key), execute(callOf('x'), play.key)]);
      expect(ends.map((end) => toldOf(end).how)).to.deep.equal(['ran', 'idempotency_in_progress']);
      expect(steps).to.deep.equal(['reads', ...(shared ? ['claims'] : []), 'sends', 'finishes']);
      expect(toldOf((await Promise.allSettled([execute(callOf('x'), play.key)]))[0]).how).to.equal('replayed');
    });

  it('do the work of a plugin once: the other one is told that it goes on, or its answer', async () => {
    const outcomes = new Set<string>();
    let play = newPlay();
    await everyOrder(
      async () => {
        play = newPlay();
        const taker = (node: string) => async (turn: Turn) => {
          const store = storeOf(node, turn, true);
          const once = createOnce(keysOf(store, play), store, new StoreRetry(silentLog));
          const request = { principal: 'prn_1', method: 'POST', path: '/publish', header: play.key, body: {} };
          return once(request, async (kept) => {
            await turn('works');
            const answer = { run_id: node };
            await store.write(kept(answer));
            play.receipts.push(node);
            return answer;
          });
        };
        return { A: taker('A'), B: taker('B') };
      },
      (trace, { A, B }) => {
        const told = [A, B].map((end) => toldOf(end as PromiseSettledResult<unknown>));
        expect(play.receipts, trace.join(', ')).to.have.length(1);
        expect(told.filter(({ how }) => how === 'ran')).to.have.length(1);
        for (const { how } of told) outcomes.add(how);
      },
    );
    expect([...outcomes].sort()).to.deep.equal(['idempotency_in_progress', 'ran', 'replayed']);
  });

  it('get one receipt when both settle the run of a third: the second one’s write fails whole', async () => {
    const owner = { node: 'C', incarnation: 'C-1' };
    const run_id = `run_${++runs}`;
    await real.write([operation(journalStore, 'intend', { run_id, fact: '{}', ...owner })]);
    const settle = () => real.write([operation(journalStore, 'closeRun', { run_id })]);
    const ends = await Promise.allSettled([settle(), settle()]);
    expect(ends.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected']);
  });
});
