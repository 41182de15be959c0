import { expect } from 'chai';
import { isBefore, isRefused } from '../../../../../plugins/ledger/certificate/format/position.ts';
import { pinKeySet } from '../../../../../plugins/ledger/certificate/verifier/pin.ts';
import { origin } from '../signer.ts';

describe('positions in the log', () => {
  const at = (shard: string, index: number) => ({ origin: `ins_1.orb/receipts/${shard}`, index });

  it('of a revocation refuse the log from there on, of another shard from its own bound on', () => {
    const named = { origin: at('2', 0).origin, tree_size: 5 };
    const refused: readonly (readonly [boolean, Parameters<typeof isRefused>[0]])[] = [
      [true, {}],
      [false, { revoked_at: at('2', 5) }],
      [true, { revoked_at: at('2', 4) }],
      [false, { revoked_at: at('3', 0) }],
      [true, { revoked_at: at('1', 900) }],
      [false, { revoked_at: at('1', 900), stands: [at('3', 0), at('2', 5)] }],
      [true, { revoked_at: at('1', 900), stands: [at('3', 0), at('2', 4)] }],
      [true, { revoked_at: at('3', 0), stands: [at('2', 4)] }],
      [true, { revoked_at: at('1', 900), stands: [] }],
    ];
    expect(refused.map(([, key]) => isRefused(key, named))).to.deep.equal(refused.map(([expected]) => expected));
  });

  it('are within a log up to its size, earlier shards included, and never in another log', () => {
    const extent = { origin: at('2', 0).origin, tree_size: 5 };
    expect([at('2', 4), at('1', 900), at('0-0123abcd', 3)].map((one) => isBefore(one, extent))).to.deep.equal([
      true,
      true,
      true,
    ]);
    const outside = [
      at('2', 5),
      at('3', 0),
      at('2-0123abcd', 0),
      { origin: 'ins_2.orb/receipts/1', index: 0 },
      { origin: 'x', index: 0 },
    ];
    expect(outside.map((one) => isBefore(one, extent))).to.deep.equal(outside.map(() => false));
  });

  it('make a key end where the next begins, whatever the order of the file', () => {
    const jwk = (byte: number, index?: number) => ({
      ...{ kty: 'OKP', crv: 'Ed25519', role: 'certificate', x: Buffer.alloc(32, byte).toString('base64url') },
      ...(index === undefined ? {} : { since: { origin, index } }),
    });
    const keys = pinKeySet({ keys: [jwk(2, 50), jwk(3), jwk(1, 0), jwk(4, 90)] })?.keys ?? [];
    expect(keys.map(({ since, until }) => [since?.index, until?.index])).to.deep.equal([
      [50, 90],
      [undefined, undefined],
      [0, 50],
      [90, undefined],
    ]);
  });
});
