import { inspect } from 'node:util';
import { expect } from 'chai';
import { transportFailure } from '../../../../providers/http/exchange/failure.ts';
import { BlockedAddress } from '../../../../kernel/net/lookup.ts';

const coded = (code: unknown): Error => Object.assign(new Error('to 10.0.0.1'), { code });

describe('a call without a whole answer', () => {
  const phases = { ECONNREFUSED: 'connect', ENOTFOUND: 'dns', CERT_HAS_EXPIRED: 'tls', UND_ERR_DESTROYED: 'pool' };
  for (const [code, phase] of Object.entries(phases))
    it(`was not sent when ${code} came before the first byte (${phase}), and is unknown after it`, () => {
      const [before, after] = [false, true].map((written) =>
        transportFailure(coded(code), { written, ended: undefined }),
      );
      expect([before?.outcome, before?.phase, after?.outcome, after?.phase]).to.deep.equal([
        'not_sent',
        phase,
        'unknown',
        'data',
      ]);
    });

  it('takes its phase from the clock that ended it', () => {
    for (const ended of ['deadline', 'timeout'] as const)
      for (const [written, outcome] of [
        [false, 'not_sent'],
        [true, 'unknown'],
      ] as const)
        expect(transportFailure(coded('X'), { written, ended })).to.include({ outcome, phase: ended });
  });

  it('to an address that is refused is the caller’s, but unknown once a byte may have left', () => {
    const [before, after] = [false, true].map((written) =>
      transportFailure(new BlockedAddress(), { written, ended: undefined }),
    );
    expect([before?.outcome, after?.outcome]).to.deep.equal(['rejected', 'unknown']);
  });

  it('passes on no text of the error beneath', () => {
    for (const error of [coded('ECONNRESET'), coded('not a code: 10.0.0.1'), coded(7), '10.0.0.1', undefined])
      for (const written of [true, false])
        expect(inspect(transportFailure(error, { written, ended: undefined }))).not.to.include('10.0');
  });
});
