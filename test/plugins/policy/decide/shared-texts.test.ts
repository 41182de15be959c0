import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { firstIdAt, type Operation } from '../../../../kernel/index.ts';
import { SharedTexts } from '../../../../plugins/policy/decide/shared-texts.ts';
import policyStore from '../../../../plugins/policy/store.ts';
import { openInMemory } from '../../../helpers/stores/memory.ts';

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
