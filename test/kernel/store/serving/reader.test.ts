import { spawnSync } from 'node:child_process';
import { getPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { operation, type AwaitedReads, type PlatformError } from '../../../../kernel/index.ts';
import type { OpenStore } from '../../../../kernel/store/serving/store.ts';
import slow from '../../../helpers/stores/slow.ts';
import { rejection, Stores } from '../../../helpers/stores/open.ts';

const file = fileURLToPath(new URL('../../../helpers/stores/slow.ts', import.meta.url));

describe('awaited reads', function () {
  // Their thread has a low priority: beside busy processes it may get no core for longer than a read may take.
  this.retries(2);
  const stores = new Stores();
  let store: OpenStore;
  let reads: AwaitedReads<ReturnType<typeof slow.read>>;
  beforeEach(async () => {
    store = await stores.open(stores.folder(), { modules: [{ module: slow, file }] });
    reads = store.awaitedReads(slow);
  });
  afterEach(() => stores.tidy());

  it('answer what is committed, with the same arguments and results as the other reads, however deep they lie', async () => {
    await store.write([operation(slow, 'put', { id: 'a', bytes: new Uint8Array([1, 2]) })]);
    expect(await reads.find('a')).to.deep.equal(store.reads(slow).find('a'));
    expect(await reads.find('b')).to.equal(undefined);
    await store.write([operation(slow, 'put', { id: 'b', bytes: new Uint8Array([3]) })]);
    expect(await reads.below.count('a', undefined)).to.equal(1);
    expect(await reads.below.count(undefined, 'a')).to.equal(2);
  });

  it('do not hold the thread that serves up: other work goes on while the disk is read', async () => {
    let turns = 0;
    let waiting = true;
    const others = (async () => {
      // By timer: a loop without a pause would keep a core from the thread that reads.
      for (; waiting; turns++) await new Promise((resolve) => setTimeout(resolve, 1));
    })();
    expect(await reads.slowly(1_000_000)).to.equal(1_000_000);
    waiting = false;
    await others;
    expect(turns).to.be.greaterThan(5);
  });

  it('reject with the problem that a read throws, and with 503 when too many wait', async () => {
    const refused = (await rejection(reads.refuse('no_such'))) as PlatformError;
    expect([refused.code, refused.message]).to.deep.equal(['invalid_parameter', 'no_such is refused']);
    const all = await Promise.allSettled(Array.from({ length: 300 }, () => reads.slowly(1000)));
    const failed = all.filter((one) => one.status === 'rejected').map(({ reason }) => reason as PlatformError);
    expect(failed).to.have.length(300 - 257);
    expect(new Set(failed.map(({ code }) => code))).to.deep.equal(new Set(['overloaded']));
    expect(await reads.slowly(7), 'the others were answered, and so is the next').to.equal(7);
  });

  it('load their modules before their thread goes second: beside busy processes the first would be late', async () => {
    expect(await reads.priority()).to.equal(getPriority());
  });

  it('that still wait are rejected when the store closes', async () => {
    await reads.slowly(1);
    const pending = Array.from({ length: 200 }, () => reads.slowly(100_000));
    const last = pending.map((one) => one.catch((error: unknown) => error)).at(-1);
    await store.close();
    expect(((await last) as PlatformError).code).to.equal('overloaded');
  });

  it('begin in a thread that has loaded the driver: ending it meanwhile would abort the process', () => {
    const script = fileURLToPath(new URL('../../../helpers/stores/ready-reader.ts', import.meta.url));
    expect(spawnSync(process.execPath, [script], { encoding: 'utf8' }).stdout).to.equal('loaded\n');
  });
});
