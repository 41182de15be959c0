import { expect } from 'chai';
import { readCheckpoint, noteOf, signatureLine, noteKey } from '../../../../plugins/receipts/log/pure/note.ts';
import { checkFreshness } from '../../../../plugins/receipts/verifier/freshness.ts';
import type { Trust } from '../../../../plugins/receipts/verifier/trust.ts';

const [one, two, stranger] = ['one', 'two', 'stranger'].map((name, at) =>
  noteKey(`${name}.example`, new Uint8Array(32).fill(at), 'cosignature'),
) as [ReturnType<typeof noteKey>, ReturnType<typeof noteKey>, ReturnType<typeof noteKey>];
const witnesses = new Map([
  ['one', one],
  ['two', two],
]);
const trust: Trust = { keys: [], policy: { logs: [], witnesses, groups: new Map() } };
const now = 1_763_670_000;

/** A line of a key at a time; `forged` is what the fake crypto refuses. */
function seenBy(key: typeof one, seconds: number, forged = 0): string {
  const signature = Buffer.alloc(72, forged);
  signature.writeBigUInt64BE(BigInt(seconds));
  return signatureLine(key, signature);
}

function found(lines: readonly string[], maxAge = 60, by: Trust = trust): string | undefined {
  const root = Buffer.alloc(32).toString('base64');
  const read = readCheckpoint(noteOf(`log\n1\n${root}\n`, lines)) ?? expect.fail('not read');
  const verify = (_key: Uint8Array, _message: Uint8Array, [first]: Uint8Array) => first === 0;
  const [check] = checkFreshness({ index: 0n, hashes: [], ...read }, by, verify, { now, maxAge });
  return check?.result;
}

describe('how fresh a checkpoint is', () => {
  for (const [what, lines, result] of [
    ['seen as long ago as is allowed', [seenBy(one, now - 60)], 'pass'],
    ['seen a second earlier', [seenBy(one, now - 61)], 'fail'],
    ['seen five minutes ahead', [seenBy(one, now + 300)], 'pass'],
    ['seen a second further ahead', [seenBy(one, now + 301)], 'fail'],
    ['seen by the second witness last', [seenBy(one, now - 99), seenBy(two, now)], 'pass'],
    ['seen by the first witness last', [seenBy(one, now), seenBy(two, now - 99)], 'pass'],
    ['seen by one witness twice: its first line counts', [seenBy(one, now - 99), seenBy(one, now)], 'fail'],
    ['seen by a stranger alone', [seenBy(stranger, now)], 'not_checked'],
    ['seen by a stranger last', [seenBy(stranger, now), seenBy(one, now - 99)], 'fail'],
    ['seen by a witness under a forged line', [seenBy(one, now), seenBy(two, now, 1)], 'not_checked'],
  ] as const)
    it(`${result}: ${what}`, () => {
      expect(found(lines)).to.equal(result);
    });

  it('is not known without a witness, and not checked unless it was asked for', () => {
    expect(found([seenBy(one, now)], 60, { keys: [] })).to.equal('not_checked');
    expect(checkFreshness(undefined, trust, () => true, { now, maxAge: 60 })[0]?.result).to.equal('not_checked');
    expect(checkFreshness(undefined, trust, () => true, undefined)).to.deep.equal([]);
  });
});
