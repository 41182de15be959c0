import { expect } from 'chai';
import { canonical } from '../../../../kernel/index.ts';
import { encodeBase64 } from '../../../../plugins/receipts/format/base64.ts';
import type { RunStatement } from '../../../../plugins/receipts/contract.ts';
import { parseCheckpoint, parseNote } from '../../../../plugins/receipts/log/pure/note.ts';
import { ShownLog, type ShownEntry, type ShownShard } from '../../../../plugins/receipts/verifier/entries.ts';
import { provedIn, signedEnvelope, vectors, vectorStatement, vectorTrust } from '../sample.ts';

const { origin } = vectors.run_receipt.position;

/** Signs runs and logs them, in a log that ends with the last of them. */
function shown(...changes: ((statement: RunStatement) => void)[]): {
  readonly shard: ShownShard;
  readonly entries: ShownEntry[];
} {
  const signed = changes.map((change, at) => {
    const statement = vectorStatement();
    statement.predicate.run_id = `run_01M7X8PQG0000000000000000${at}`;
    change(statement);
    return signedEnvelope(canonical(statement));
  });
  const { checkpoint } = provedIn(signed.map(({ entry }) => entry));
  const root = parseCheckpoint(parseNote(checkpoint)?.text ?? '')?.root ?? new Uint8Array();
  return {
    shard: { origin, tree_size: signed.length, root_hash: encodeBase64(root), checkpoint },
    entries: signed.map(({ entry, envelope }, index) => ({ origin, index, leaf: encodeBase64(entry), envelope })),
  };
}

// The subjects follow the run's id.
const plain = ({ predicate, subject }: RunStatement): void => {
  for (const one of subject) one.name = one.name.replace(/^[^/]+/, predicate.run_id);
};

describe('a log that is shown entry by entry', () => {
  const { entries, shard } = shown(plain, plain, plain);
  const [first, second, third] = entries as [ShownEntry, ShownEntry, ShownEntry];
  const found = (all: readonly ShownEntry[], change: Partial<ShownShard> = {}) => {
    const log = new ShownLog([{ ...shard, ...change }], vectorTrust, [{ origin, tree_size: 2 }]);
    return { log, wrong: all.flatMap((entry) => log.take(entry) ?? []), faults: log.faults() };
  };

  it('has no fault when everything in it was signed, and yields the roots that were asked for', () => {
    const { faults, log, wrong } = found(entries);
    expect([wrong, faults]).to.deep.equal([[], []]);
    const two = parseCheckpoint(parseNote(shown(plain, plain).shard.checkpoint ?? '')?.text ?? '');
    expect(log.rootAt(origin, 2)).to.deep.equal(two?.root);
    expect(log.rootAt(origin, 1)).to.equal(undefined);
  });

  it('may be shown again, as the same', () => {
    expect(found([first, second, second, first, third, second]).wrong).to.deep.equal([]);
    const other = { ...second, leaf: third.leaf };
    expect(found([first, second, third, other]).wrong).to.deep.equal(['appears twice with different contents']);
  });

  it('has each entry at its place, and none beyond the last', () => {
    expect(found([first, third]).wrong).to.deep.equal(['is not in log order']);
    expect(found([...entries, { ...third, index: 3 }]).wrong).to.deep.equal([
      'is not in any of the logs in the artefact',
    ]);
    expect(found([{ ...first, origin: 'elsewhere' }]).wrong).to.deep.equal([
      'is not in any of the logs in the artefact',
    ]);
    expect(found([first, second]).faults).to.include(`${origin} of 3 entries shows 2`);
  });

  it('has entries that the key they name has signed, for this very log', () => {
    const another = shown(
      (statement) => plain(statement) ?? void (statement.predicate.issuer.kid = 'A'.repeat(43)),
      (statement) => plain(statement) ?? void (statement.predicate.log.origin = origin.replace(/0$/, '1')),
    );
    const log = new ShownLog([another.shard], vectorTrust);
    expect(another.entries.map((entry) => log.take(entry))).to.deep.equal([
      'names a key other than the one that signed',
      `belongs in the log ${origin.replace(/0$/, '1')}`,
    ]);
    expect(log.faults(), 'all else holds').to.deep.equal([]);
  });

  it('has an envelope, a statement and a leaf in each entry', () => {
    expect(found([{ ...first, envelope: {} }]).wrong).to.deep.equal(['has no envelope']);
    expect(found([{ ...first, leaf: '?' }]).wrong).to.deep.equal(['has a leaf that is not base64']);
    expect(found([{ ...first, leaf: second.leaf }]).wrong).to.deep.equal([
      'has a leaf that does not match its envelope',
    ]);
    const { envelope } = signedEnvelope('{}');
    expect(found([{ ...first, envelope }]).wrong[0]).to.match(/^has no statement: /);
  });

  it('has the root and the checkpoint of its entries, signed by the pinned key', () => {
    const faults = (change: Partial<ShownShard>) => found(entries, change).faults;
    expect(faults({ root_hash: encodeBase64(new Uint8Array(32)) })).to.deep.equal([
      `${origin} has another root than is said`,
    ]);
    for (const checkpoint of [undefined, '', 'no note'])
      expect(faults({ checkpoint })).to.deep.equal([`${origin} has no checkpoint`]);
    const { checkpoint: smaller } = shown(plain, plain).shard;
    expect(faults({ checkpoint: smaller })).to.deep.equal([`${origin} has a checkpoint of other entries`]);
    const forged = (shard.checkpoint ?? '').replace(/.{6}=\n$/, 'AAAAAA=\n');
    expect(faults({ checkpoint: forged })).to.deep.equal([
      `${origin} has a checkpoint that its pinned key has not signed`,
    ]);
    const log = new ShownLog([shard], { keys: vectorTrust.keys });
    for (const entry of entries) log.take(entry);
    expect(log.faults()).to.deep.equal([`${origin} has no pinned key`]);
  });
});
