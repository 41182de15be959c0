import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Driver from 'better-sqlite3';
import { expect } from 'chai';
import { operation, PlatformError } from '../../../kernel/index.ts';
import type { Health } from '../../../kernel/index.ts';
import notes from '../../helpers/stores/notes.ts';
import { rejection, Stores } from '../../helpers/stores/open.ts';
import { prepareWriter } from '../../../kernel/store/serving/writer-link.ts';
import { shippedList } from '../../helpers/stores/shipped-list.ts';
import { readsNow } from '../../helpers/reads.ts';

const insert = (id: string, text = 'kept') => operation(notes, 'insert', { id, text });

describe('the life of a store', () => {
  const stores = new Stores();
  afterEach(() => stores.tidy());

  it('commits what waits when it closes, and rejects what comes later', async () => {
    const folder = stores.folder();
    const store = await stores.open(folder);
    const waiting = Array.from({ length: 600 }, (_, index) => store.write([insert(`n${index}`)]));
    const closed = store.close();
    expect(await rejection(store.write([insert('late')]))).to.include({ code: 'storage_unavailable' });
    expect(() => store.admit())
      .to.throw(PlatformError)
      .that.includes({ code: 'storage_unavailable' });
    await Promise.all(waiting);
    await closed;
    expect(existsSync(join(folder, 'lock'))).to.equal(false);
    expect(existsSync(join(folder, 'store.db-wal'))).to.equal(false);
    const again = await stores.open(folder);
    expect(readsNow(again, notes).all()).to.have.length(600);
  });

  it('closes when the last that waited could not cross to the writer', async () => {
    const store = await stores.open(stores.folder());
    const refused = rejection(store.write([insert('foreign', (() => 'no text') as unknown as string)]));
    const closed = store.close();
    expect(await refused).to.include({ code: 'internal' });
    await closed;
    expect(store.health()).to.deep.equal({ health: 'down', reason: 'closed' });
  });

  it('closes once, however often it is told to', async () => {
    const store = await stores.open(stores.folder());
    await Promise.all([store.close(), store.close()]);
    expect(store.health()).to.deep.equal({ health: 'down', reason: 'closed' });
  });

  it('tells each change of its health once, and stays down when it is closed', async () => {
    const told: Health[] = [];
    const store = await stores.open(stores.folder(), { onHealth: (health) => void told.push(health) });
    for (const id of ['a', 'b', 'c']) await store.write([insert(id)]);
    expect(told).to.deep.equal(['up']);
    await store.close();
    expect(await rejection(store.write([insert('late')]))).to.include({ code: 'storage_unavailable' });
    expect(store.health()).to.deep.equal({ health: 'down', reason: 'closed' });
  });

  for (const way of ['exit', 'crashLater'] as const)
    it(`rejects what is outstanding and what comes later when the writer dies (${way}); the process stays up`, async () => {
      const { promise: down, resolve } = Promise.withResolvers<Health>();
      const folder = stores.folder();
      const store = await stores.open(folder, { onHealth: (health) => health === 'down' && resolve(health) });
      await store.write([insert('kept')]);
      const dying = store.write([operation(notes, way, undefined)]);
      const outstanding = [dying, ...Array.from({ length: 300 }, (_, index) => store.write([insert(`n${index}`)]))];
      const settled = await Promise.allSettled(outstanding);
      await down;
      const lost = settled.filter((one) => one.status === 'rejected');
      if (way === 'exit') expect(lost).to.have.length(301);
      for (const { reason } of lost) expect(reason).to.include({ code: 'storage_unavailable' });
      expect(await rejection(store.write([insert('late')]))).to.include({ code: 'storage_unavailable' });
      expect(() => store.admit())
        .to.throw(PlatformError)
        .that.includes({ code: 'storage_unavailable' });
      expect(store.outstanding()).to.equal(0);
      expect(store.health().health).to.equal('down');
      expect(readsNow(store, notes).all()[0]).to.deep.equal({ id: 'kept', text: 'kept' });
      await store.close();
      const again = await stores.open(folder);
      expect(again.health()).to.deep.equal({ health: 'up' });
    });

  it('commits nothing after another owner took the store over', async () => {
    const folder = stores.folder();
    const store = await stores.open(folder);
    await store.write([insert('mine')]);
    const other = new Driver(join(folder, 'store.db'));
    other.prepare('UPDATE kernel_head SET epoch = epoch + 1').run();
    expect(await rejection(store.write([insert('too late')]))).to.include({ code: 'storage_unavailable' });
    expect(store.health()).to.deep.equal({ health: 'down', reason: 'another process took over the store' });
    expect(other.prepare('SELECT id FROM notes_note').pluck().all()).to.deep.equal(['mine']);
    other.close();
  });

  it('raises the owner epoch at each start and counts the batches on', async () => {
    const folder = stores.folder();
    const head = (): unknown => {
      const reader = new Driver(join(folder, 'store.db'), { readonly: true });
      const row = reader.prepare('SELECT epoch, batch FROM kernel_head').get();
      reader.close();
      return row;
    };
    const first = await stores.open(folder);
    await first.write([insert('a')]);
    expect(head()).to.deep.equal({ epoch: 1, batch: 1 });
    await first.close();
    const second = await stores.open(folder);
    await second.write([insert('b')]);
    expect(head()).to.deep.equal({ epoch: 2, batch: 2 });
    expect(second.installation)
      .to.equal(first.installation)
      .and.match(/^ins_[0-9A-HJKMNP-TV-Z]{26}$/);
  });

  it('refuses to write on the read connection', async () => {
    const store = await stores.open(stores.folder());
    const reader = { ...notes, read: notes.read } as const;
    const connection = readsNow(store, { ...reader, read: (given) => given });
    expect(() => connection.prepare(`INSERT INTO notes_note VALUES ('x', 'y')`).run()).to.throw('readonly');
  });

  it('empties a log that a reader let grow beyond 64 MiB', async () => {
    const folder = stores.folder();
    const store = await stores.open(folder);
    const reader = new Driver(join(folder, 'store.db'), { readonly: true });
    reader.exec('BEGIN; SELECT count(*) FROM notes_note');
    const log = join(folder, 'store.db-wal');
    const megabyte = 'x'.repeat(1024 * 1024);
    for (let index = 0; index < 70; index++) await store.write([insert(`big${index}`, megabyte)]);
    expect(statSync(log).size).to.be.greaterThan(64 * 1024 * 1024);
    reader.exec('COMMIT');
    for (let index = 70; index < 129; index++) await store.write([insert(`small${index}`)]);
    expect(statSync(log).size).to.be.lessThan(1024 * 1024);
    reader.close();
  });

  it('takes a thread that was prepared for itself alone: the next store has another one', async () => {
    prepareWriter(shippedList);
    const [one, two] = [await stores.open(stores.folder()), await stores.open(stores.folder())];
    const add = (store: typeof one) => store.write([operation(notes, 'append', { id: 'a', text: 'kept' })]);
    const answers = [await add(one), await add(two)];
    expect(answers.map(([item]) => item.position)).to.deep.equal([1, 1]);
    expect(one.installation).not.to.equal(two.installation);
    await one.close();
    await two.write([operation(notes, 'append', { id: 'b', text: 'kept' })]);
  });
});
