import { expect } from 'chai';
import { factOf, interruptedFact, intends, runRow } from '../../../../plugins/runtime/run/run-fact.ts';
import type { Decided, Settled } from '../../../../plugins/runtime/dispatch/run-record.ts';
import type { Attempt } from '../../../../plugins/runtime/facts/facts.ts';
import type { Operation, Store } from '../../../../kernel/store/contract.ts';
import { DispatchBed } from '../dispatch-bed.ts';

const attempt = (outcome: Attempt['outcome'], provider = 'a'): Attempt => ({
  ...{ provider, adapter: 'record/local', generation: 1, config_digest: 'sha256:a', outcome, latency_ms: 1 },
});
const provider = { name: 'a', generation: 1, health: 'up' } as const;
const settled = (more: Partial<Settled> = {}): Settled => ({
  ...new DispatchBed().run([]),
  ...{ ending: { status: 'completed', outcome: 'accepted' }, attempts: [attempt('accepted')], outputs: '{}', provider },
  ...{ outputs_checked: 'valid', intended: false, caller_deadline: false, finished_at: 5, execution_ms: 5 },
  ...more,
});
const factsOf = (run: Settled) => factOf(run, { firstUse: false }).fact;
const failed = { status: 'indeterminate', outcome: 'unknown', reason: 'timeout' } as const;

describe('the fact of a run', () => {
  it('says what was asked, who served it and how it ended', () => {
    const fact = factsOf(settled());
    expect(fact).to.include({ tenant: 'default', run_id: 'run_1', status: 'completed', mode: 'live', execution_ms: 5 });
    expect(fact).to.include({ started_at: '1970-01-01T00:00:00.000Z', finished_at: '1970-01-01T00:00:00.005Z' });
    expect(fact).to.include({ inputs: '{"token":"x"}', outputs: '{}' }).and.not.to.have.any.keys('reason', 'disclose');
    expect(fact.facts).to.deep.include({ provider, outcome: 'accepted', principal: 'prn_1' });
    expect(fact.facts.schema).to.deep.equal({ inputs: 'valid', outputs: 'valid' });
    expect(fact.facts.action).to.deep.equal({ class: 'write', effect: 'none' });
    expect(fact.retention_days).to.deep.equal({ inputs: 0, outputs: 0 });
  });

  it('has a reason unless it completed, and no provider and outputs where there are none', () => {
    const { outputs: _o, provider: _p, ...bare } = settled({ ending: failed, outputs_checked: 'unchecked' });
    const fact = factsOf(bare);
    expect(fact).to.include({ status: 'indeterminate', reason: 'timeout' }).and.not.to.have.property('outputs');
    expect(fact.facts).to.not.have.property('provider');
    expect(fact.facts.schema.outputs).to.equal('unchecked');
  });

  for (const [what, more, expected] of [
    ['more than one delivery', { delivery: 'at_least_once' }, { delivery: 'at_least_once' }],
    ['the deadline of the caller', { caller_deadline: true }, { caller_deadline: true }],
    [
      'both',
      { delivery: 'at_least_once', caller_deadline: true },
      { delivery: 'at_least_once', caller_deadline: true },
    ],
    ['one delivery at most', { delivery: 'at_most_once' }, {}],
  ] as const)
    it(`says of the action: ${what}`, () => {
      expect(factsOf(settled(more)).facts.action).to.deep.equal({ class: 'write', effect: 'none', ...expected });
    });

  it('discloses only what was asked to be, and keeps what the Orbiset keeps', () => {
    expect(factsOf(settled({ disclose: true }))).to.include({ disclose: true });
    expect(factsOf(settled({ disclose: false }))).to.not.have.property('disclose');
    const { orbiset } = settled();
    const keeping = settled({ orbiset: { ...orbiset, retention_days: { inputs: 7, outputs: 3 } } });
    expect(factsOf(keeping).retention_days).to.deep.equal({ inputs: 7, outputs: 3 });
  });
});

describe('what commits with the receipt of a run', () => {
  const summary = { receipt_id: 'rec_1' } as never;
  const named = (operations: readonly Operation[]) => operations.map(({ name }) => name);

  it('is its row; the first use of its Orb, the row of its decision, and the end of its intents', () => {
    const decision = { ...settled().decision, record: () => ({ name: 'record' }) as Operation };
    const of = (run: Settled, firstUse: boolean) => named(factOf(run, { firstUse }).operations('rec_1', summary));
    expect(of(settled({ intended: false }), false)).to.deep.equal(['insertRun']);
    const all = ['insertRun', 'useManifest', 'record', 'closeRun'];
    expect(of(settled({ decision, intended: true }), true)).to.deep.equal(all);
  });

  it('is the answer of its key, unless nothing was sent and nobody waits for an end: then the key is free', () => {
    const writes = (name: string) => () => [{ name } as Operation];
    const claim = { finished: writes('finished'), freed: writes('freed') } as unknown as NonNullable<Settled['claim']>;
    const of = (more: Partial<Settled>, attested = true) => {
      const { operations } = factOf(settled({ intended: false, claim, ...more }), { firstUse: false });
      return named(operations('rec_1', attested ? summary : undefined));
    };
    expect(of({})).to.deep.equal(['insertRun', 'finished']);
    expect(of({ attempts: [attempt('not_sent')] })).to.deep.equal(['insertRun', 'freed']);
    expect(of({}, false)).to.deep.equal(['insertRun']);
    const waiting = { ...claim, ended: writes('ended') };
    expect(of({ claim: waiting, attempts: [] })).to.deep.equal(['insertRun', 'ended', 'finished']);
  });

  it('names the provider, the reason, and who has not answered, where there are any', () => {
    expect(runRow(factsOf(settled()), 'rec_1')).to.include({
      ...{ receipt_id: 'rec_1', provider: 'a', reason: null, silent: null, resolution: null, status: 'completed' },
    });
    const silent = settled({ ending: failed, attempts: [attempt('unknown', 'b'), attempt('not_sent')] });
    const { provider: _, ...unbound } = silent;
    expect(runRow(factsOf(unbound), 'rec_1')).to.include({ provider: null, reason: 'timeout', silent: '["b"]' });
  });
});

describe('the intent of a call', () => {
  const run: Decided = settled();

  it('is the fact of the run if nobody ever answers it', () => {
    const fact = interruptedFact(run, { attempts: [attempt('unknown')], provider });
    expect(fact).to.include({ status: 'indeterminate', reason: 'interrupted', execution_ms: 0 });
    expect(fact.finished_at).to.equal(fact.started_at);
    expect(fact.facts).to.deep.include({ outcome: 'unknown', attempts: [attempt('unknown')], provider });
  });

  const node = { name: 'eins', incarnation: '0123456789abcdef' };
  const written: unknown[] = [];
  const store = { node, write: async (operations: readonly Operation[]) => void written.push(...operations) };
  const taken: unknown[] = [];
  const claim = { take: async (intent: unknown) => void taken.push(intent) } as unknown as NonNullable<
    Decided['claim']
  >;
  const intend = intends(store as unknown as Store);
  const effectful = { ...run, ...new DispatchBed().run([], { effect: 'irreversible' }) };
  const first = { attempts: [attempt('unknown')], provider, again: false };
  beforeEach(() => {
    written.length = 0;
    taken.length = 0;
  });

  it('is written with its owner, and once more before each further attempt', async () => {
    await intend(effectful, first);
    await intend({ ...effectful, claim }, { ...first, again: true });
    expect(taken).to.deep.equal([]);
    expect(written).to.have.length(2);
    expect(written[0]).to.have.property('name', 'intend');
    expect(written[0]).to.have.property('args').that.includes({ node: 'eins', incarnation: node.incarnation });
    expect(written[1]).to.have.property('name', 'renewIntent');
  });

  it('is written together with the claim of the caller’s key', async () => {
    await intend({ ...effectful, claim }, first);
    expect(written).to.deep.equal([]);
    expect(taken).to.have.length(1);
    expect(taken[0]).to.include({ run_id: 'run_1', node: 'eins' }).and.to.have.property('fact');
  });

  it('of a run without an effect is the claim of its key alone, once', async () => {
    for (const again of [false, true]) await intend({ ...run, claim }, { ...first, again });
    expect([written, taken]).to.deep.equal([[], [undefined]]);
  });
});
