import { expect } from 'chai';
import { operation, PlatformError } from '../../../kernel/index.ts';
import { createLog } from '../../../kernel/tools/log.ts';
import type { OpenStore } from '../../../kernel/store/serving/store.ts';
import notes from '../../helpers/stores/notes.ts';
import { rejection, standingAt, Stores } from '../../helpers/stores/open.ts';
import { until } from '../../helpers/until.ts';
import { readsNow } from '../../helpers/reads.ts';

const note = (id: string) => ({ id, text: `text of ${id}` });
const ids = (length: number, prefix = 'n'): string[] =>
  Array.from({ length }, (_, index) => `${prefix}${String(index).padStart(4, '0')}`);

describe('a write', () => {
  const stores = new Stores();
  let store: OpenStore;
  let reads: ReturnType<typeof notes.read>;
  const lines: string[] = [];
  const append = (id: string) => store.write([operation(notes, 'append', note(id))]);
  /** For each deferred item how many were in its batch. */
  const batchSizes = () => reads.deferred().map((row) => row['batch_items']);
  const failNextCommits = (times: number) => store.write([operation(notes, 'failNextCommits', { times })]);
  const life = async () => (await store.write([operation(notes, 'life', undefined)]))[0];

  beforeEach(async () => {
    lines.length = 0;
    store = await stores.open(stores.folder(), { log: createLog('info', (line) => lines.push(line)) });
    reads = readsNow(store, notes);
  });
  afterEach(() => stores.tidy());

  it('alone is a batch of one, and is visible to readers once answered', async () => {
    expect(await store.write([operation(notes, 'insert', note('a'))])).to.deep.equal([1]);
    expect(reads.all()).to.deep.equal([{ id: 'a', text: 'text of a' }]);
    expect(store.counters).to.include({ batches: 1, writes: 1, lastBatch: 1 });
  });

  it('of several operations answers each in order', async () => {
    const results = await store.write([
      operation(notes, 'insert', note('a')),
      operation(notes, 'scope', undefined),
      operation(notes, 'insert', note('b')),
    ]);
    expect(results[0]).to.equal(1);
    expect(results[1]).to.include({ installation: store.installation, now: standingAt });
    expect(results[1].ulid).to.match(/^[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(results[2]).to.equal(1);
  });

  it('waits with the others of its turn for one commit', async () => {
    const answers = await Promise.all(ids(63).map(append));
    expect(store.counters).to.include({ batches: 1, writes: 63, lastBatch: 63 });
    expect(answers.map(([item]) => item.position)).to.deep.equal(ids(63).map((_, index) => index + 1));
  });

  it('leaves with 63 others at once while fewer than three batches are under way, then with half of what waits', async () => {
    const batches = [64, 64, 64, 256, 140, 70, 64, 6];
    const answers = await Promise.all(ids(728).map(append));
    expect(store.counters).to.include({ batches: batches.length, writes: 728, lastBatch: 6 });
    expect(batchSizes()).to.deep.equal(batches.flatMap((size) => Array<number>(size).fill(size)));
    expect(answers.map(([item]) => item.position)).to.deep.equal(ids(728).map((_, index) => index + 1));
  });

  it('that fails among 256 rejects only itself and leaves neither rows nor deferred items', async () => {
    const writes = ids(256).map((id, index) =>
      index === 100
        ? store.write([operation(notes, 'append', note('twin')), operation(notes, 'appendThenFail', note(id))])
        : append(id),
    );
    const settled = await Promise.allSettled(writes);
    expect(settled.filter(({ status }) => status === 'rejected')).to.have.length(1);
    expect(settled[100]?.status).to.equal('rejected');
    expect(store.counters.batches).to.equal(4);
    const kept = ids(256).filter((_, index) => index !== 100);
    expect(reads.all().map((row) => row['id'])).to.deep.equal(kept);
    expect(reads.deferred().map((row) => row['id'])).to.deep.equal(kept);
    const last = settled[255];
    expect(last?.status === 'fulfilled' && last.value[0]).to.deep.equal({ id: 'n0255', position: 255 });
  });

  it('brings a PlatformError across with its code, detail and extensions', async () => {
    const error = await rejection(store.write([operation(notes, 'appendThenFail', note('a'))]));
    expect(error).to.be.instanceOf(PlatformError);
    expect(error).to.include({ code: 'invalid_inputs', message: 'no a' });
    expect((error as PlatformError).extensions).to.deep.equal({
      retry_after: 7,
      errors: [{ pointer: '#/id', detail: 'is refused' }],
    });
  });

  it('that meets a defect is rejected as internal, told in full to the log alone', async () => {
    const error = (await rejection(store.write([operation(notes, 'defect', undefined)]))) as PlatformError;
    expect(error).to.be.instanceOf(PlatformError);
    expect(error.code).to.equal('internal');
    expect(error.cause).to.equal(undefined);
    expect(`${error.message}${error.stack}`).not.to.contain('machine room');
    expect(lines.join()).to.contain('TypeError: a secret of the machine room');
  });

  it('that breaks a constraint rejects only itself', async () => {
    const [first, second, third] = await Promise.allSettled([append('a'), append('a'), append('b')]);
    expect([first.status, second.status, third.status]).to.deep.equal(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('of an unknown operation, or with foreign arguments or results, rejects only itself', async () => {
    const settled = await Promise.allSettled([
      append('a'),
      store.write([{ store: 'notes', name: 'toString', args: undefined }]),
      store.write([{ store: 'notes', name: 'insert', args: { id: 'x', text: () => 'code' } }]),
      store.write([operation(notes, 'foreign', undefined)]),
      append('b'),
    ]);
    const codes = settled.map((one) => (one.status === 'fulfilled' ? 'committed' : (one.reason as PlatformError).code));
    expect(codes).to.deep.equal(['committed', 'internal', 'internal', 'internal', 'committed']);
    expect(reads.all().map((row) => row['id'])).to.deep.equal(['a', 'b']);
  });

  it('that awaits holds up those after it, which are committed with it in order', async () => {
    const [first] = await Promise.all([
      store.write([operation(notes, 'asynchronous', note('a')), operation(notes, 'append', note('b'))]),
      append('c'),
      store.write([operation(notes, 'asynchronous', note('d'))]),
    ]);
    const later = append('e');
    expect(first).to.deep.equal([1, { id: 'b', position: 1 }]);
    expect((await later)[0]).to.deep.equal({ id: 'e', position: 3 });
    expect(reads.all().map((row) => row['id'])).to.deep.equal(['a', 'b', 'c', 'd', 'e']);
    expect(store.counters).to.include({ batches: 2, writes: 4 });
  });

  it('survives one failed commit: the batch is rebuilt from the committed state', async () => {
    await append('before');
    await failNextCommits(1);
    const answers = await Promise.all(ids(10).map(append));
    expect(answers.map(([item]) => item.position)).to.deep.equal([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(reads.deferred()).to.have.length(11);
    expect(await life()).to.include({ reloads: 1 });
    expect(store.counters.rejectedBatches).to.equal(0);
    expect(lines.join()).to.contain('before the commit');
  });

  it('is rejected with its whole batch when the commit fails twice; the next batch works', async () => {
    await append('before');
    await failNextCommits(2);
    const settled = await Promise.allSettled(ids(10).map(append));
    for (const one of settled) {
      expect(one.status).to.equal('rejected');
      if (one.status === 'fulfilled') continue;
      expect(one.reason).to.include({ code: 'storage_unavailable' });
      expect((one.reason as PlatformError).extensions.retry_after).to.equal(1);
    }
    expect(reads.all().map((row) => row['id'])).to.deep.equal(['before']);
    expect(store.health()).to.include({ health: 'degraded' });
    expect((await append('after'))[0]).to.deep.equal({ id: 'after', position: 2 });
    expect(await life()).to.include({ reloads: 2 });
    expect(store.health()).to.deep.equal({ health: 'up' });
  });

  it('leaves a store that finds out by itself that it can commit again', async () => {
    await failNextCommits(2);
    expect((await Promise.allSettled([append('lost')]))[0]?.status).to.equal('rejected');
    expect(store.health()).to.include({ health: 'degraded' });
    await until(
      () => store.health(),
      ({ health }) => health === 'up',
    );
    expect(reads.all()).to.deep.equal([]);
  });

  it('calls committed() of the modules that took part', async () => {
    await append('a');
    await append('b');
    expect(await life()).to.include({ commits: 2 });
  });

  it('is not admitted while more than 4096 are outstanding', async () => {
    const writes = ids(4096).map(append);
    store.admit();
    writes.push(append('one too many'));
    expect(store.outstanding()).to.equal(4097);
    expect(() => store.admit())
      .to.throw(PlatformError)
      .that.includes({ code: 'overloaded' });
    await Promise.all(writes);
    store.admit();
    expect(store.outstanding()).to.equal(0);
  });
});
