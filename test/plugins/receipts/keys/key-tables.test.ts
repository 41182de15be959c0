import Driver from 'better-sqlite3';
import { expect } from 'chai';
import type { ImmediateScope } from '../../../../kernel/surface.ts';
import { connectionOf } from '../../../helpers/stores/memory.ts';
import { isActive, keyReads, keyTable, type KeyTable } from '../../../../plugins/receipts/keys/key-tables.ts';
import { freezeLog, insertLog, shardNumber } from '../../../../plugins/receipts/keys/signing/shard.ts';
import type { SigningParts } from '../../../../plugins/receipts/keys/signing-keys.ts';
import type { StoredKey } from '../../../../plugins/receipts/issue/signer.ts';
import { logReads, type LogReads } from '../../../../plugins/receipts/log/stored/tables.ts';
import { emptyRoot } from '../../../../plugins/receipts/log/pure/tree.ts';
import receiptsStore from '../../../../plugins/receipts/store.ts';

const key = (kid: string, more: Partial<StoredKey> = {}): StoredKey => ({
  ...{ kid, role: 'receipt', status: 'active', created_at: 1 },
  ...{ public_key: Buffer.from(kid), sealed: Buffer.from('sealed') },
  ...more,
});

describe('the tables of keys and logs', () => {
  let table: KeyTable;
  let reads: LogReads;
  let parts: SigningParts;
  let kids: () => string[];

  beforeEach(() => {
    const driver = new Driver(':memory:');
    for (const migration of receiptsStore.migrations) driver.exec(migration);
    const connection = connectionOf(driver);
    [table, reads] = [keyTable(connection), logReads(connection)];
    kids = () =>
      keyReads(connection)
        .keys()
        .map(({ kid }) => kid);
    // Of the writer, logs and keys use no more.
    const node = { name: 'a', incarnation: '0123456789abcdef' };
    const scope = { connection, installation: 'ins_1', node, now: () => 7 } as unknown as ImmediateScope;
    parts = { scope, direct: connection, reads, table } as unknown as SigningParts;
  });

  it('keep a key as it was made, and find it', async () => {
    const made = key('a', { role: 'log', origin: 'orb/0' });
    table.insert(made);
    expect([await table.find('a'), await table.find('b'), (await table.all()).length]).to.deep.equal([
      made,
      undefined,
      1,
    ]);
    expect(kids()).to.deep.equal(['a']);
  });

  it('list the keys by age; of one age the receipt key first, then the log’s, then the certificate’s', async () => {
    for (const [kid, role, created_at] of [
      ['d', 'receipt', 2],
      ['c', 'certificate', 1],
      ['b', 'log', 1],
      ['a2', 'receipt', 1],
      ['a1', 'receipt', 1],
    ] as const)
      table.insert(key(kid, { role, created_at }));
    expect(kids()).to.deep.equal(['a1', 'a2', 'b', 'c', 'd']);
    expect((await table.all()).map(({ kid }) => kid)).to.deep.equal(kids());
  });

  it('retire, revoke and place the one key that is meant', async () => {
    for (const kid of ['a', 'b', 'c', 'd']) table.insert(key(kid));
    table.retire('a');
    table.revoke('b', { origin: 'orb/0', index: 3 });
    table.place('c', { origin: 'orb/0', index: 4 });
    expect(await table.all()).to.deep.equal([
      key('a', { status: 'retired' }),
      key('b', { status: 'revoked', revoked_at: { origin: 'orb/0', index: 3 } }),
      key('c', { since: { origin: 'orb/0', index: 4 } }),
      key('d'),
    ]);
  });

  it('keep the place of the first entry of a key, whatever follows', async () => {
    table.insert(key('a'));
    for (const index of [4, 9]) table.place('a', { origin: 'orb/0', index });
    expect((await table.find('a'))?.since).to.deep.equal({ origin: 'orb/0', index: 4 });
  });

  for (const [what, found, active] of [
    ['an active key of the role', key('a'), true],
    ['an active key of another role', key('a', { role: 'log' }), false],
    ['a retired key of the role', key('a', { status: 'retired' }), false],
    ['a revoked key of the role', key('a', { status: 'revoked' }), false],
  ] as const)
    it(`${active ? 'know' : 'do not take'} ${what} as the one that signs`, () => {
      expect(isActive('receipt', found)).to.equal(active);
    });

  it('number the logs in turn, each empty and active at first', async () => {
    await insertLog('0', key('k0'), parts);
    await insertLog('1-0badcafe', key('k1'), parts);
    const log = { size: 0, root: Buffer.from(emptyRoot), status: 'active' };
    expect(reads.logs()).to.deep.equal([
      { ...log, log: 1, shard: '0', origin: 'ins_1.orb/receipts/0', kid: 'k0' },
      { ...log, log: 2, shard: '1-0badcafe', origin: 'ins_1.orb/receipts/1-0badcafe', kid: 'k1' },
    ]);
  });

  it('freeze one log, with its key', async () => {
    for (const [shard, kid] of [
      ['0', 'k0'],
      ['1', 'k1'],
    ] as const) {
      table.insert(key(kid, { role: 'log' }));
      await insertLog(shard, key(kid), parts);
    }
    freezeLog({ log: 1, kid: 'k0' }, parts);
    expect(reads.logs().map(({ status }) => status)).to.deep.equal(['frozen', 'active']);
    expect((await table.all()).map(({ status }) => status)).to.deep.equal(['retired', 'active']);
  });
});

describe('the name of a shard', () => {
  for (const [shard, number] of [
    ['0', 0],
    ['12', 12],
    ['1-0badcafe', 1],
  ] as const)
    it(`${shard} tells its number, and whether a backup opened it`, () => {
      expect(shardNumber(shard)).to.equal(number);
    });
});
