import { expect } from 'chai';
import { ConfigError } from '../../../../../kernel/index.ts';
import { Frontier } from '../../../../../plugins/receipts/log/pure/frontier.ts';
import { hashLeaf } from '../../../../../plugins/receipts/log/pure/tree.ts';
import { noteKey } from '../../../../../plugins/receipts/log/pure/note.ts';
import { guardLog } from '../../../../../plugins/receipts/log/stored/guard.ts';
import type { LogReads, LogRow } from '../../../../../plugins/receipts/log/stored/tables.ts';
import { provedIn, vectors, vectorTrust } from '../../sample.ts';

const { origin } = vectors.run_receipt.position;
const installation = origin.slice(0, origin.indexOf('.'));
const key = vectorTrust.policy?.logs[0] ?? expect.fail('no log key');
const entries = Array.from({ length: 5 }, (_, at) => Buffer.from(`entry ${at}`));
const others = entries.map((entry, at) => (at === 1 ? Buffer.from('other') : entry));
const rootOf = (held: readonly Uint8Array[]) =>
  Frontier.empty()
    .append(held.map((entry) => hashLeaf(entry)))
    .root();
const noteOf = (held: readonly Uint8Array[], name = origin): string => provedIn(held, 0, name).checkpoint;

/** The store of a log with these entries, but for what is changed. */
interface Held {
  readonly held?: readonly Uint8Array[];
  readonly row?: Partial<LogRow> | null;
  readonly note?: string | undefined;
  readonly copy?: string;
  readonly restored?: boolean;
  readonly signedBy?: typeof key;
}

async function guarded({
  held = entries.slice(0, 3),
  row = {},
  restored = false,
  signedBy = key,
  ...more
}: Held): Promise<string> {
  const size = 3;
  const root = rootOf(entries.slice(0, size));
  const one: LogRow = { log: 1, shard: '0', origin, kid: 'kid', size, root, status: 'active', ...row };
  const note = 'note' in more ? more.note : noteOf(entries.slice(0, size));
  const reads = {
    logs: () => (row === null ? [] : [one]),
    newestCheckpoint: () => (note === undefined ? undefined : { size, note }),
    entries: (_log: number, first: number, count: number) => held.slice(first, first + count),
    tile: (_log: number, { n, width }: { readonly n: number; readonly width: number }) =>
      Buffer.concat(held.slice(n * 256, n * 256 + width).map((entry) => hashLeaf(entry))),
  } as unknown as LogReads;
  try {
    await guardLog({ copy: more.copy, reads, installation, restored, keyOf: () => signedBy });
    return 'fits';
  } catch (error) {
    expect(error).to.be.instanceOf(ConfigError);
    return (error as Error).message;
  }
}

const elsewhere = origin.replace(installation, `${installation.slice(0, -1)}Z`);
const later = origin.replace(/0$/, '1');
const stranger = noteKey(origin, new Uint8Array(32).fill(9));

describe('the log of a store at the start', () => {
  for (const [what, store, said] of [
    ['as it was signed', {}, 'fits'],
    ['with the copy of its newest checkpoint', { copy: noteOf(entries.slice(0, 3)) }, 'fits'],
    ['with the copy of an earlier checkpoint', { copy: noteOf(entries.slice(0, 2)) }, 'fits'],
    ['without a checkpoint', { note: undefined }, 'does not match its head and key'],
    ['with a checkpoint that is none', { note: 'x' }, 'does not match its head and key'],
    ['with a checkpoint of fewer entries', { note: noteOf(entries.slice(0, 2)) }, 'does not match its head and key'],
    [
      'with a checkpoint of another log',
      { note: noteOf(entries.slice(0, 3), later) },
      'does not match its head and key',
    ],
    ['with a checkpoint of other entries', { note: noteOf(others.slice(0, 3)) }, 'does not match its head and key'],
    ['with a checkpoint that its key has not signed', { signedBy: stranger }, 'does not match its head and key'],
    ['with an entry that is not signed', { held: entries.slice(0, 4) }, 'do not match the signed root'],
    ['without its last entry', { held: entries.slice(0, 2) }, 'do not match the signed root'],
    ['with another entry', { held: others.slice(0, 3) }, 'do not match the signed root'],
    ['beside a copy that is no checkpoint', { copy: 'x' }, 'of the state dir is not a checkpoint'],
    ['that is gone', { row: null, copy: noteOf(entries.slice(0, 2)) }, 'but this state dir has signed 2 entries'],
    ['that never was', { row: null }, 'fits'],
    ['beside the copy of a larger one', { copy: noteOf(entries) }, 'the store has 3 entries, but 5 were signed'],
    ['beside the copy of another one', { copy: noteOf(others.slice(0, 3)) }, 'differ from those that were signed'],
    [
      'beside the copy of another, smaller one',
      { copy: noteOf(others.slice(0, 2)) },
      'differ from those that were signed',
    ],
    ['beside the copy of a later shard', { copy: noteOf(entries, later) }, 'an older state was restored'],
    ['beside the copy of another installation', { copy: noteOf(entries, elsewhere) }, 'this state dir belongs to'],
  ] as readonly (readonly [string, Held, string])[])
    it(`${said === 'fits' ? 'may be' : 'is refused'} ${what}`, async () => {
      expect(await guarded(store)).to.include(said);
    });

  it('is refused beside a copy that its key has not signed', async () => {
    const copy = noteOf(entries.slice(0, 2)).replace(/.{6}=\n$/, 'AAAAAA=\n');
    expect(await guarded({ copy })).to.include('was not signed by the log key of the store (kid)');
  });

  for (const [what, copy, said] of [
    ['a copy of a larger one', noteOf(entries), 'fits'],
    ['a copy of a later shard', noteOf(entries, later), 'fits'],
    ['a copy of other entries', noteOf(others.slice(0, 2)), 'differ from those that were signed'],
    ['a copy of another installation', noteOf(entries, elsewhere), 'this state dir belongs to'],
  ] as const)
    it(`${said === 'fits' ? 'may be' : 'is not'} put back from a backup beside ${what}`, async () => {
      expect(await guarded({ copy, restored: true })).to.include(said);
    });
});
