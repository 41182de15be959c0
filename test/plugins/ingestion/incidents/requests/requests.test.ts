import { expect } from 'chai';
import { operation, PlatformError, type Operation } from '../../../../../kernel/index.ts';
import { silentLog } from '../../../../../kernel/tools/log.ts';
import type { CarryOut } from '../../../../../plugins/ingestion/incidents/requests/request-execution.ts';
import { Requests } from '../../../../../plugins/ingestion/incidents/requests/requests.ts';
import { requestPart } from '../../../../../plugins/ingestion/incidents/requests/store.ts';
import { problems } from '../../../../../plugins/ingestion/problems.ts';
import { topics } from '../../../../../plugins/ingestion/topics.ts';
import ingestionStore from '../../../../../plugins/ingestion/store.ts';
import { openInMemory } from '../../../../helpers/stores/memory.ts';
import { until } from '../../../../helpers/until.ts';

type Learn = (refs: readonly string[]) => void | Promise<void>;

const request = { kind: 'trouble', trouble: { name: 'x', state: 'firing', title: 't', occurred_ms: 1 } } as const;

const openTables = () => openInMemory({ ...requestPart, migrations: ingestionStore.migrations });

/** Two nodes on one store; what one writes of a topic, the other learns at once. */
function pair(carryOut: CarryOut) {
  const { operations, reads } = openTables();
  const learners: Map<string, Learn>[] = [];
  let made = 0;
  const commit = async (list: readonly Operation[], by?: Map<string, Learn>): Promise<unknown[]> => {
    const verbs = operations as unknown as Record<string, (args: unknown) => unknown>;
    const results = list.map((one) => verbs[one.name]?.(one.args));
    for (const { args, name } of list) {
      const topic = { ask: topics.asked, answerRequest: topics.answered }[name];
      const { request_id } = args as { request_id: string };
      if (topic !== undefined) for (const other of learners) if (other !== by) await other.get(topic)?.([request_id]);
    }
    return results;
  };
  const node = (name: string): Requests => {
    const own = new Map<string, Learn>();
    learners.push(own);
    const write = (list: readonly Operation[]): Promise<unknown[]> => commit(list, own);
    const peers = { follow: (topic: string, learn: Learn) => void own.set(topic, learn) };
    const scope = { store: { write, peers } as never, reads, log: silentLog };
    return new Requests({ ...scope, ids: () => `ask_${name}${made++}` }, carryOut);
  };
  const left = (): number => reads.openRequests(9).length;
  return { one: node('a'), other: node('b'), left, commit };
}

describe('requests to the node that folds incidents', () => {
  it('are carried out there at once, without a row', async () => {
    const done: unknown[] = [];
    const { one, left } = pair(async (asked, along) => void done.push(asked, along.length, left()));
    one.begin();
    await one.ask(request);
    expect(done).to.deep.equal([request, 0, 0]);
  });

  it('are answered in the commit of what was asked, and rejected with its problem', async () => {
    let refuse = false;
    const world = pair(async (_, along) => {
      if (refuse) throw new PlatformError(problems.incident_conflict, 'it is resolved');
      await world.commit(along);
    });
    world.one.begin();
    await world.other.ask(request);
    refuse = true;
    const error = await world.other.ask(request).catch((caught: PlatformError) => caught);
    expect(error).to.include({ code: 'incident_conflict', message: 'it is resolved' });
    expect(world.left()).to.equal(0);
  });

  it('wait for a node that begins, which may be the one that asked', async () => {
    let done = 0;
    const world = pair(async (_, along) => {
      done += 1;
      await world.commit(along);
    });
    const asked = world.other.ask(request);
    await until(world.left, (count) => count === 1, 'the row', 5);
    world.other.begin();
    await asked;
    expect(done).to.equal(1);
  });

  it('are not carried out once they were taken back', async () => {
    const { operations } = openTables();
    operations.ask({ request_id: 'ask_1', request });
    expect(operations.withdrawRequest({ request_id: 'ask_1' })).to.equal(1);
    const { args } = operation(requestPart, 'answerRequest', { request_id: 'ask_1', answer: {} });
    expect(() => operations.answerRequest(args as never)).to.throw('another write came first');
  });

  it('are refused when the node stops', async () => {
    const world = pair(() => Promise.resolve());
    const asked = world.other.ask(request).catch((error: PlatformError) => error.code);
    await until(world.left, (count) => count === 1, 'the row', 5);
    await world.other.stop();
    expect(await asked).to.equal('storage_unavailable');
    expect(await world.other.ask(request).catch((error: PlatformError) => error.code)).to.equal('storage_unavailable');
  });
});
