import { expect } from 'chai';
import type { LogEntry } from '../../../../../plugins/receipts/contract.ts';
import { mergeShards, type Part } from '../../../../../plugins/receipts/log/stored/merge.ts';
import type { LogRow } from '../../../../../plugins/receipts/log/stored/tables.ts';
import type { EntryRow } from '../../../../../plugins/receipts/log/rows/entry-reads.ts';
import { runCommand } from '../../../../helpers/command.ts';
import { fsckCommand } from '../../../../../plugins/receipts/commands/fsck.ts';
import { verify } from '../../../../../plugins/receipts/verifier/verify.ts';
import { until } from '../../../../helpers/until.ts';
import { freshReceipts } from '../../fresh.ts';
import { logOf } from '../../log-at-once.ts';
import { activeKey } from '../../key-changes.ts';
import { revoke, rotate } from '../../signing-keys.ts';

interface Shards {
  readonly shards: readonly Readonly<Record<string, string | number>>[];
  readonly next?: string;
}

describe('a log with several growing shards', () => {
  const receipts = freshReceipts('test', 'a');
  const log = () => logOf(receipts);
  const shards = async () => ((await receipts.published('/log/shards')) as Shards).shards;
  const shardOf = (origin: string): string => origin.slice(origin.lastIndexOf('/') + 1);
  /** Reads on from a vector to the end, in pages, and moves it. */
  const readOn = (read: Map<string, number>, page = 3): LogEntry[] => {
    const found: LogEntry[] = [];
    for (let more = log().entriesAfter(read, page); more.length > 0; more = log().entriesAfter(read, page)) {
      for (const { index, origin } of more) read.set(origin, index + 1);
      found.push(...more);
    }
    return found;
  };

  it('gives each node a shard, which it goes on with when it comes back', async () => {
    const own = new Set<string>();
    for (const node of ['a', 'b', 'c', 'b', 'a']) {
      await receipts.restart(node);
      const [made] = await receipts.attestRuns(1);
      const { proof } = await receipts.read(made?.receipt_id ?? '');
      own.add(`${node} ${shardOf(proof?.origin ?? '')}`);
    }
    expect([...own]).to.have.length(3);
    expect([...own][1]).to.match(/^b 1-[0-9a-f]{8}$/);
    const list = await shards();
    expect(list.map(({ node, status }) => [node, status])).to.deep.equal([
      ['a', 'active'],
      ['b', 'active'],
      ['c', 'active'],
    ]);
  });

  it('hands out every entry once, whatever shard grew after which was read', async () => {
    const read = new Map<string, number>();
    const seen: LogEntry[] = [];
    for (const node of ['a', 'b', 'a', 'c', 'b', 'a', 'c', 'a']) {
      await receipts.restart(node);
      await receipts.attestRuns(2);
      seen.push(...readOn(read));
    }
    const heads = log().heads();
    expect(heads).to.have.length(3);
    const places = seen.map(({ index, origin }) => `${origin} ${index}`);
    const all = heads.flatMap(({ origin, tree_size: size }) =>
      Array.from({ length: size }, (_, index) => `${origin} ${index}`),
    );
    expect([...places].sort()).to.deep.equal(all.sort());
    for (const page of [1, 2, 7, 100]) expect(readOn(new Map(), page)).to.have.length(places.length);
  });

  it('comes in the order of the receipts, each shard in its own', async () => {
    for (const node of ['a', 'b', 'a', 'b', 'a']) {
      await receipts.restart(node);
      await receipts.attestRuns(2);
    }
    const whole = readOn(new Map(), 100);
    const ids = whole.map(({ receipt_id: id }) => id);
    expect(ids).to.deep.equal([...ids].sort());
    const bound = new Map(
      log()
        .heads()
        .map(({ origin }) => [origin, 2]),
    );
    expect(log().entriesAfter(new Map(), 100, bound)).to.have.length(4);
  });

  it('is shown whole: every shard with its node, head and successor; without a shard the oldest that grows', async () => {
    await receipts.restart('b');
    await receipts.restart('a');
    const [first, second] = log().heads();
    expect(await receipts.published('/log/checkpoint')).to.equal(first?.checkpoint);
    await rotate(receipts, 'log');
    const list = await shards();
    expect(list.map(({ node, status }) => [node, status])).to.deep.equal([
      ['a', 'frozen'],
      ['b', 'active'],
      ['a', 'active'],
    ]);
    expect(list[0]?.['successor']).to.equal(list[2]?.['origin']);
    expect(list[1]).to.include({ origin: second?.origin, size: second?.tree_size, root: second?.root_hash });
    expect(list[1]).to.include({ checkpoint: second?.checkpoint }).and.to.not.have.property('successor');
    expect(await receipts.published('/log/checkpoint')).to.equal(second?.checkpoint);
    const [, , after] = list.map(({ shard }) => String(shard));
    expect(await receipts.published('/log/shards', {}, { after: list[1]?.['shard'] })).to.have.nested.property(
      'shards[0].shard',
      after,
    );
  });

  it('is verified by the auditor in all its shards, and counted as left', async () => {
    for (const node of ['a', 'b', 'a']) {
      await receipts.restart(node);
      await receipts.attestRuns(40);
    }
    const measured = async (): Promise<string> => (await receipts.metrics.show()).text;
    await until(measured, (text) => text.includes('orb_receipts_audit_behind 0\n'), 'the auditor');
    await receipts.stop();
    const places = receipts.rows<{ next: number; size: number }>(
      'SELECT a.next, l.size FROM receipts_logs AS l JOIN receipts_audit AS a ON a.origin = l.origin',
    );
    expect(places).to.have.length(2);
    for (const { next, size } of places) expect(next).to.equal(size);
    await receipts.start('a');
  }).timeout(120_000);

  it('keeps what a revoked key signed before, whatever the numbers of the shards that grew', async () => {
    const ids: string[] = [];
    for (const node of ['a', 'b', 'a', 'b', 'a']) {
      await receipts.restart(node);
      ids.push(...(await receipts.attestRuns(2)).map(({ receipt_id: id }) => id));
    }
    await revoke(receipts, await activeKey(receipts, 'receipt'), 'lost');
    ids.push(...(await receipts.attestRuns(2)).map(({ receipt_id: id }) => id));
    for (const id of ids)
      expect(verify(JSON.stringify(await receipts.read(id)), receipts.trust()).overall).to.equal('VERIFIED');
    const { exit, text } = await runCommand(fsckCommand, receipts.stateDir, []);
    expect(exit, text).to.equal(0);
    const { keys } = (await receipts.published('/.well-known/jwks.json')) as { keys: { stands?: object[] }[] };
    expect(keys.flatMap(({ stands = [] }) => stands)).to.have.length(1);
  });

  it('refuses from a position on what is younger in the other shards, too', async () => {
    const ids: string[] = [];
    for (const node of ['a', 'b', 'a', 'b']) {
      await receipts.restart(node);
      ids.push(...(await receipts.attestRuns(2)).map(({ receipt_id: id }) => id));
    }
    const { proof } = await receipts.read(ids[4] ?? '');
    const from = { origin: proof?.origin ?? '', index: proof?.index ?? 0 };
    await revoke(receipts, await activeKey(receipts, 'receipt'), 'stolen', from);
    const overall = async (id: string) =>
      verify(JSON.stringify(await receipts.read(id)), receipts.trust()).overall === 'VERIFIED';
    expect(await Promise.all(ids.map(overall))).to.deep.equal([true, true, true, true, false, false, false, false]);
  });

  it('refuses what is younger in a frozen shard, too, whose number is lower', async () => {
    const ids: string[] = [];
    for (const node of ['a', 'b', 'a']) {
      await receipts.restart(node);
      ids.push(...(await receipts.attestRuns(1)).map(({ receipt_id: id }) => id));
    }
    await rotate(receipts, 'log');
    const { proof } = await receipts.read(ids[1] ?? '');
    const from = { origin: proof?.origin, index: proof?.index };
    await revoke(receipts, await activeKey(receipts, 'receipt'), 'stolen', from);
    const valid = await Promise.all(ids.map(async (id) => (await receipts.read(id)).signature_valid));
    expect(valid).to.deep.equal([true, false, false]);
  });

  it('holds in all its shards: fsck checks each, and each receipt verifies', async () => {
    const ids: string[] = [];
    for (const node of ['a', 'b', 'a', 'b']) {
      await receipts.restart(node);
      ids.push(...(await receipts.attestRuns(2)).map(({ receipt_id: id }) => id));
    }
    for (const id of ids)
      expect(verify(JSON.stringify(await receipts.read(id)), receipts.trust()).overall).to.equal('VERIFIED');
    const { exit, text } = await runCommand(fsckCommand, receipts.stateDir, []);
    expect([exit, text.match(/OK/g)?.length], text).to.deep.equal([0, 2]);
  });
});

describe('entries of several shards', () => {
  const row = (idx: number, receipt_id: string): EntryRow => ({ idx, receipt_id, kind: 'run', statement: '' });
  /** Shards by name; each id is the receipt of the next index. */
  function merge(of: Readonly<Record<string, readonly string[]>>, limit: number, follows: Record<string, string> = {}) {
    let reads = 0;
    const parts = Object.keys(of).map((origin): Part => ({
      shard: { origin } as LogRow,
      next: 0,
      end: of[origin]?.length ?? 0,
      follows: follows[origin],
    }));
    const read = ({ origin }: LogRow, first: number, most: number): readonly EntryRow[] => {
      const rows = (of[origin] ?? []).map((id, idx) => row(idx, id)).slice(first, first + most);
      reads += rows.length;
      return rows;
    };
    const found = Array.from(mergeShards(parts, limit, read), ({ row: { receipt_id: id } }) => id).join('');
    return { found, reads: () => reads };
  }

  for (const [name, of, limit, found] of [
    ['come by their age', { x: ['a', 'd', 'e'], y: ['b', 'c', 'f'] }, 9, 'abcdef'],
    ['stop at the limit', { x: ['a', 'd'], y: ['b', 'c'] }, 3, 'abc'],
    ['keep the order of their shard', { x: ['c', 'a', 'e'], y: ['b', 'd'] }, 9, 'bcade'],
    ['of one shard come as they stand', { x: ['c', 'a', 'b'] }, 2, 'ca'],
    ['of no shard are none', {}, 9, ''],
  ] as const)
    it(name, () => expect(merge(of, limit).found).to.equal(found));

  it('come after the shard that theirs continues', () => {
    expect(merge({ x: ['b', 'c'], y: ['a', 'd'] }, 9, { y: 'x' }).found).to.equal('bcad');
  });

  it('are not read much further than they are taken', () => {
    const many = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [
        `s${at}`,
        Array.from({ length: 300 }, (__, id) => `${at + 10}${id + 100}`),
      ]),
    );
    expect(merge(many, 256).reads()).to.be.below(30 + 2 * 256 + 256);
  });
});
