import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { firstIdAt, type AccessRequest, type Operation, type Store } from '../../../../kernel/index.ts';
import type { Decided, Decider } from '../../../../plugins/policy/decide/decider.ts';
import { answering, SharedTexts } from '../../../../plugins/policy/decide/record.ts';
import policyStore from '../../../../plugins/policy/store.ts';
import { openInMemory } from '../../../helpers/stores/memory.ts';

const decided: Decided = {
  ...{ cached: false, duration_us: 12, entrypoint: 'orb/system/execute' },
  verdict: { allow: true, policies: ['base'], revision: 'sha256:1', warns: 1, shadow_denies: 0 },
};
const denied: Decided = {
  ...decided,
  verdict: { ...decided.verdict, allow: false, reasons: [{ code: 'not_allowed' }] },
};
const request = (action: string): AccessRequest =>
  ({
    subject: { id: 'prn_1', tenant: 'acme' },
    action: { name: action },
    resource: { id: 'demo.echo@1.0.0' },
    context: {
      ...{ decision_id: 'dec_1', time: '2026-11-20T10:00:00.000Z', client_ip: '127.0.0.1' },
      ...{ inputs: { text: 'private' }, delivery: 'x' },
    },
  }) as unknown as AccessRequest;

function setUp(answer: Decided | Promise<Decided>) {
  const written: Operation[] = [];
  const store = {
    write: (operations: readonly Operation[]) => {
      written.push(...operations.filter(({ name }) => name === 'decide'));
      return Promise.resolve([]);
    },
  } as unknown as Store;
  const decide = answering({ decide: () => answer } as unknown as Decider, store);
  return { written, ask: async (action: string) => decide(request(action)) };
}

describe('the row of a decision', () => {
  it('is committed with the run it decides, and never holds the inputs', async () => {
    const { ask } = setUp(decided);
    const decision = await ask('execute');
    expect(decision).to.include({ decision_id: 'dec_1', allow: true });
    const row = decision.record?.({ run_id: 'run_1', receipt_id: 'rec_1' }) as unknown as { readonly args: object };
    const { record, shared, shared_text, ...head } = row.args as Record<'record' | 'shared' | 'shared_text', string>;
    expect(head).to.deep.equal({
      ...{ decision_id: 'dec_1', tenant: 'acme', at: '2026-11-20T10:00:00.000Z', action: 'execute', allow: true },
      ...{ orb_id: 'demo.echo@1.0.0', principal: 'prn_1', revision: 'sha256:1', run_id: 'run_1', receipt_id: 'rec_1' },
    });
    expect(`${record}${shared_text}`).not.to.contain('private');
    expect(shared).to.match(/^[\w-]{24}$/);
    expect(JSON.parse(record)).to.deep.equal({ cached: false, duration_us: 12, context: { client_ip: '127.0.0.1' } });
    expect(shared_text).not.to.contain('127.0.0.1').and.not.to.contain('2026').and.not.to.contain('dec_1');
  });

  it('is read as it was: what many share and what is its own, each in its place', async () => {
    const { ask } = setUp(decided);
    const { operations, reads } = openInMemory(policyStore);
    const { record } = await ask('execute');
    const row = record?.({ run_id: 'run_1', receipt_id: 'rec_1' }) as unknown as { readonly args: never };
    operations.decide(row.args);
    const whole = JSON.stringify({
      ...{ entrypoint: 'orb/system/execute', cached: false, duration_us: 12, policies: ['base'] },
      ...{ warns: 1, shadow_denies: 0 },
      input: {
        subject: { id: 'prn_1', tenant: 'acme' },
        action: { name: 'execute' },
        resource: { id: 'demo.echo@1.0.0' },
        context: {
          decision_id: 'dec_1',
          ...{ time: '2026-11-20T10:00:00.000Z', client_ip: '127.0.0.1', delivery: 'x' },
        },
      },
    });
    expect(reads.decision('dec_1')?.record).to.equal(whole);
    expect(reads.decisions({ limit: 1 }).items[0]?.record).to.equal(whole);
  });

  for (const [name, answer] of [
    ['at once', denied],
    ['after an evaluation', Promise.resolve(denied)],
  ] as const)
    it(`is written here when a swap or a publish is denied ${name}, for nothing else is committed`, async () => {
      for (const [action, rows] of [
        ['execute', 0],
        ['swap', 1],
        ['publish', 1],
      ] as const) {
        const { ask, written } = setUp(answer);
        expect(await ask(action)).to.deep.include({ allow: false, decision_id: 'dec_1' });
        expect(written, action).to.have.length(rows);
        if (rows === 1) expect(written[0]).to.deep.nested.include({ 'args.run_id': null, 'args.allow': false });
      }
    });

  it('tells of its own question and verdict, though the text of the same caller and Orb is made once', async () => {
    const frozen = ({ subject, action, resource, context }: AccessRequest): AccessRequest => ({
      ...{ subject: Object.freeze(subject), action: Object.freeze(action), resource: Object.freeze(resource), context },
    });
    const first = frozen(request('execute'));
    const questions: readonly (readonly [AccessRequest, Decided])[] = [
      [first, decided],
      [first, decided],
      [first, denied],
      [{ ...first, context: { ...first.context, delivery: 'y' } }, decided],
      [{ ...first, action: Object.freeze({ name: 'swap' }) }, decided],
      [{ ...first, subject: Object.freeze({ ...first.subject, tenant: 'globex' }) }, decided],
      [{ ...first, resource: Object.freeze({ ...first.resource, id: 'other@1.0.0' }) }, decided],
      [first, { ...decided, entrypoint: 'orb/system/publish' }],
    ];
    let at = 0;
    const decider = { decide: () => questions[at]?.[1] } as unknown as Decider;
    const ask = answering(decider, { write: () => new Promise(() => undefined) } as unknown as Store);
    const digests: string[] = [];
    for (; at < questions.length; at++) {
      const [asked, { verdict, entrypoint }] = questions[at] ?? [first, decided];
      const { record } = await ask(asked);
      const { args } = record?.({}) as unknown as { readonly args: { shared: string; shared_text: string } };
      const { policies, reasons, warns, shadow_denies } = verdict;
      const { inputs: _, ...context } = asked.context as Record<string, unknown>;
      const told = { entrypoint, cached: null, duration_us: null, policies, reasons, warns, shadow_denies };
      const common = { ...context, time: null, decision_id: null, client_ip: null };
      const input = { subject: asked.subject, action: asked.action, resource: asked.resource, context: common };
      expect(JSON.parse(args.shared_text)).to.deep.equal(JSON.parse(JSON.stringify({ ...told, input })));
      digests.push(args.shared);
    }
    expect(digests[1]).to.equal(digests[0]);
    expect(new Set(digests).size).to.equal(questions.length - 1);
  });

  it('is not written here when a swap is allowed', async () => {
    const { ask, written } = setUp(decided);
    await ask('swap');
    expect(written).to.deep.equal([]);
  });
});

const today = '2026-11-20T10:00:00.000Z';
const tomorrow = '2026-11-21T10:00:00.000Z';

/** Texts over a store that answers when it is told to. */
function create() {
  const told: object[] = [];
  let answer: (failure?: Error) => void = () => undefined;
  const store = {
    async write(operations: readonly Operation[]): Promise<never> {
      told.push(...operations.map(({ args }) => args as object));
      await new Promise<void>((resolve, reject) => {
        answer = (failure) => (failure === undefined ? resolve() : reject(failure));
      });
      return [] as never;
    },
  };
  const answered = async (failure?: Error): Promise<void> => {
    answer(failure);
    await setImmediate();
  };
  return { told, answered, texts: new SharedTexts(store) };
}

describe('the texts that decisions share', () => {
  it('come with each decision until the store has answered, and are told once', async () => {
    const { answered, texts, told } = create();
    const first = texts.partOf(texts.find('a text'), today);
    expect(first).to.deep.equal({ shared: first.shared, shared_text: 'a text' });
    expect(texts.partOf(texts.find('a text'), today)).to.deep.equal(first);
    expect(told).to.deep.equal([{ digest: first.shared, text: 'a text', used_on: '2026-11-20' }]);
    await answered();
    expect(texts.partOf(texts.find('a text'), today)).to.deep.equal({ shared: first.shared, shared_text: null });
    expect(texts.partOf(texts.find('another'), today).shared).not.to.equal(first.shared);
  });

  it('are told again on another day, so that the store knows which are used', async () => {
    const { answered, texts, told } = create();
    texts.partOf(texts.find('a text'), today);
    await answered();
    expect(texts.partOf(texts.find('a text'), tomorrow).shared_text).to.equal('a text');
    expect(told).to.have.length(2);
    await answered();
    expect(texts.partOf(texts.find('a text'), tomorrow).shared_text).to.equal(null);
  });

  it('come with each decision, and are told again, after the store has failed', async () => {
    const { answered, texts, told } = create();
    texts.partOf(texts.find('a text'), today);
    await answered(new Error('the disk is full'));
    expect(texts.partOf(texts.find('a text'), today).shared_text).to.equal('a text');
    expect(told).to.have.length(2);
  });

  it('are known up to 2,000: a caller with more of them is served as ever', () => {
    const { texts } = create();
    const shared = new Set<string>();
    for (let number = 0; number < 2500; number++) shared.add(texts.partOf(texts.find(`text ${number}`), today).shared);
    expect(shared.size).to.equal(2500);
    expect(texts.partOf(texts.find('text 0'), today).shared).to.equal(texts.partOf(texts.find('text 0'), today).shared);
  });
});

describe('decisions in the store', () => {
  const decide = (day: number, shared: string, shared_text: string | null) => ({
    ...{ decision_id: firstIdAt('dec', Date.UTC(2026, 10, day)), tenant: 't', action: 'execute', allow: true },
    ...{ at: new Date(Date.UTC(2026, 10, day)).toISOString(), orb_id: '', principal: '', revision: null },
    ...{ run_id: null, receipt_id: null, record: '{"cached":true,"context":{"client_ip":"::1"}}', shared, shared_text },
  });
  const textOf = (name: string): string => `{"name":"${name}","input":{"context":{"time":null,"decision_id":null}}}`;

  it('bring a text or find the one that was kept, and lose only that when it is lost', () => {
    const { driver, operations, reads } = openInMemory(policyStore);
    operations.keepText({ digest: 'kept', text: textOf('kept'), used_on: '2026-11-01' });
    operations.decide(decide(1, 'kept', null));
    operations.decide(decide(2, 'brought', textOf('brought')));
    operations.decide(decide(3, 'brought', null));
    operations.decide(decide(4, 'lost', null));
    const [four, three, two, one] = reads
      .decisions({ limit: 9 })
      .items.map(({ record }) => JSON.parse(record) as object);
    expect([one, two, three].map((record) => (record as { name?: string }).name)).to.deep.equal([
      ...['kept', 'brought', 'brought'],
    ]);
    expect(three).to.deep.include({
      cached: true,
      input: {
        context: {
          ...{ time: '2026-11-03T00:00:00.000Z', decision_id: decide(3, '', '').decision_id },
          client_ip: '::1',
        },
      },
    });
    expect(four).to.deep.include({ cached: true });
    driver.close();
  });

  it('take the texts along that no decision shares any more, a week later', async () => {
    const { driver, operations } = openInMemory(policyStore);
    for (const day of [1, 10, 20]) operations.decide(decide(day, `of ${day}`, textOf('x')));
    operations.keepText({ digest: 'of 1', text: textOf('x'), used_on: '2026-11-14' });
    operations.keepText({ digest: 'of 1', text: textOf('x'), used_on: '2026-11-02' });
    const left = () => driver.prepare('SELECT digest FROM policy_decision_texts ORDER BY digest').pluck().all();
    const before = (day: number) => ({ before: decide(day, '', '').decision_id, rows: 99, most: 99 });
    expect([await operations.prune(before(10)), left()]).to.deep.equal([1, ['of 1', 'of 10', 'of 20']]);
    expect([await operations.prune(before(20)), left()]).to.deep.equal([1, ['of 1', 'of 20']]);
    expect([await operations.prune(before(20)), left()], 'nothing to forget').to.deep.equal([0, ['of 1', 'of 20']]);
    driver.close();
  });
});
