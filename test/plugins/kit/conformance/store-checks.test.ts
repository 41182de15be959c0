import { expect } from 'chai';
import { defineStore, queriesOf } from '../../../../kernel/index.ts';
import { storeChecks } from '../../../../plugins/kit/conformance/store-checks.ts';
import marketplaceStore from '../../../../plugins/marketplace/store.ts';
import observabilityStore from '../../../../plugins/observability/store.ts';

const notesWith = (written: string, read: string) =>
  defineStore({
    name: 'notes',
    migrations: [],
    write({ connection }) {
      const insert = connection.prepare(written);
      return { operations: { insert: ({ id }: { readonly id: string }) => insert.run(id) } };
    },
    read: (connection) => ({ find: queriesOf(connection).find(read, ({ id }) => id) }),
  });

const insert = 'INSERT INTO notes_note (id) VALUES (?)';
const select = 'SELECT id FROM notes_note WHERE id = ?';

async function failure(store: Parameters<typeof storeChecks>[0]): Promise<string | undefined> {
  for (const { run } of storeChecks(store)) {
    const error = await run().then(
      () => undefined,
      (thrown: unknown) => thrown as Error,
    );
    if (error !== undefined) return error.message;
  }
  return undefined;
}

describe('the checks of a store', () => {
  for (const store of [marketplaceStore, observabilityStore, notesWith(insert, select)])
    it(`pass: ${store.name}`, async () => expect(await failure(store)).to.equal(undefined));

  it('name a statement of an operation that only SQLite takes, and what to write', async () => {
    const text = 'INSERT OR REPLACE INTO notes_note (id) VALUES (?)';
    expect(await failure(notesWith(text, select)))
      .to.include(text)
      .and.include('ON CONFLICT (columns)');
  });

  it('name a statement of a read that only SQLite takes', async () => {
    const text = 'SELECT id FROM notes_note WHERE rowid = ?';
    expect(await failure(notesWith(insert, text))).to.include(text);
  });
});
