import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { operation } from '../../../../kernel/index.ts';
import { openStore, type OpenStore } from '../../../../kernel/store/serving/store.ts';
import type { EndedNode } from '../../../../kernel/store/peers.ts';
import { systemClock } from '../../../../kernel/tools/clock.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';
import { usePostgres } from '../../../helpers/use-postgres.ts';
import { rejection, Stores } from '../../../helpers/stores/open.ts';
import { shelf } from '../../../helpers/stores/shelf.ts';
import { until } from '../../../helpers/until.ts';

const list = new URL('../../../helpers/stores/shelf.ts', import.meta.url).href;
const masterKey = randomBytes(32).toString('hex');

describe('the peers of a store', function () {
  this.timeout(60_000);
  const server = usePostgres();
  let databases = 0;
  const stores: OpenStore[] = [];
  const folders: string[] = [];

  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  });

  /** Opens stores of several nodes on one new database; none of them has begun. */
  async function opened(...names: readonly string[]): Promise<readonly OpenStore[]> {
    const database = `peers_${++databases}`;
    await server.client(database);
    const open = async (node: string): Promise<OpenStore> => {
      const stateDir = mkdtempSync(join(tmpdir(), 'orb-peers-'));
      folders.push(stateDir);
      const store = await openStore({
        ...{ stateDir, node, masterKey, list, beside: true, address: server.address(database) },
        ...{ modules: [{ module: shelf }], version: '1.0.0', clock: systemClock, log: silentLog },
      });
      stores.push(store);
      return store;
    };
    const all: OpenStore[] = [];
    for (const name of names) all.push(await open(name));
    return all;
  }
  const tell = (store: OpenStore, id: number, topic = 'shelf'): Promise<unknown> =>
    store.write([operation(shelf, 'tell', { id, topic })]);
  const pair = async () => (await opened('a', 'b')) as [OpenStore, OpenStore];

  it('are told what others changed, in the order of the commits, and not what they changed themselves', async () => {
    const [a, b] = await pair();
    const [toA, toB, elsewhere]: [string[], string[], string[]] = [[], [], []];
    a.peers.follow('shelf', (refs) => void toA.push(...refs));
    b.peers.follow('shelf', (refs) => void toB.push(...refs));
    b.peers.follow('other', (refs) => void elsewhere.push(...refs));
    // What is told before a node listens waits for it.
    await tell(a, 1);
    await Promise.all([a, b].map((store) => store.begin()));
    await Promise.all([2, 3, 4].map((id) => tell(a, id)));
    await tell(b, 5);
    await Promise.all([a, b].map(({ peers }) => peers.everywhere()));
    expect([toA, toB, elsewhere]).to.deep.equal([['5'], ['1', '2', '3', '4'], []]);
    expect(await b.awaitedReads(shelf).ids()).to.deep.equal([1, 2, 3, 4, 5]);
  });

  it('are everywhere only when each node that serves has learned', async () => {
    const [a, b] = await pair();
    const learning = Promise.withResolvers<void>();
    let tries = 0;
    b.peers.follow('shelf', async () => {
      // A listener that fails is asked again.
      if (tries++ === 0) throw new Error('the first time');
      await learning.promise;
    });
    // Nobody waits for a node that has not begun.
    await Promise.all([a, b].map((store) => store.begin()));
    await tell(a, 1);
    let is = false;
    const everywhere = a.peers.everywhere().then(() => (is = true));
    await until(
      () => tries,
      (count) => count === 2,
      'the second try',
    );
    await delay(300);
    expect(is, 'b learns still').to.equal(false);
    learning.resolve();
    await everywhere;
    await a.peers.everywhere();
  });

  it('answer 503 to who waits for the others on a node whose place another one took', async () => {
    const [a, b] = await pair();
    b.peers.follow('shelf', () => new Promise(() => undefined));
    await Promise.all([a, b].map((store) => store.begin()));
    await tell(a, 1);
    const refused = rejection(a.peers.everywhere());
    const admin = await server.client(`peers_${databases}`);
    await admin.query(`UPDATE kernel_nodes SET epoch = epoch + 1, state = 'dead' WHERE node = 'a'`);
    expect(await refused).to.include({ code: 'storage_unavailable' });
  });

  it('do not wait for a node that has not begun, nor for one that left', async () => {
    const [a, b] = await pair();
    await a.begin();
    await tell(a, 1);
    await a.peers.everywhere();
    expect((await a.peers.nodes()).map(({ name, serving, state }) => [name, state, serving])).to.deep.equal([
      ['a', 'live', true],
      ['b', 'live', false],
    ]);
    await b.close();
    await a.peers.everywhere();
    expect((await a.peers.nodes()).map(({ state }) => state)).to.deep.equal(['live', 'left']);
  });

  it('hold a role one at a time; it passes on when its holder left, who is settled once', async () => {
    const [a, b, c] = (await opened('a', 'b', 'c')) as [OpenStore, OpenStore, OpenStore];
    const settled: EndedNode[] = [];
    let fails = 1;
    for (const store of [b, c])
      store.peers.onAdopted((ended) => {
        if (fails-- > 0) throw new Error('the first time');
        settled.push(ended);
      });
    for (const store of [a, b, c]) void store.begin();
    const first = a.peers.whenHeld('sweeping');
    await until(
      () => first.now,
      (held) => held,
      'the first holder',
    );
    const next = [b, c].map(({ peers }) => peers.whenHeld('sweeping'));
    await a.peers.everywhere();
    expect(next.map(({ now }) => now)).to.deep.equal([false, false]);
    const { node } = a;
    await a.close();
    await until(
      () => next.filter(({ now }) => now).length,
      (count) => count > 0,
      'the next holder',
    );
    await until(
      () => settled.length,
      (count) => count > 0,
      'the settling',
    );
    expect(next.filter(({ now }) => now)).to.have.length(1);
    expect(settled).to.deep.equal([{ ...node, clean: true }]);
  });

  it('lets a store that is a file be alone: it holds each role, and waits for nobody', async () => {
    const files = new Stores();
    const store = await files.open(files.folder());
    const { peers } = store;
    peers.follow('shelf', () => expect.fail('nobody tells'));
    void store.begin();
    await peers.everywhere();
    let begun = 0;
    const held = peers.whenHeld('sweeping', () => begun++);
    expect([begun, held.now, store.shared]).to.deep.equal([1, true, false]);
    expect((await peers.nodes()).map(({ name, state }) => [name, state])).to.deep.equal([[store.node.name, 'live']]);
    await files.tidy();
  });
});
