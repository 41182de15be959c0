import { inspect } from 'node:util';
import { expect } from 'chai';
import { BlockedAddress } from '../../../../kernel/net/lookup.ts';
import { transportFailure } from '../../../../providers/vendor/http/failure.ts';

const coded = (code: unknown): Error => Object.assign(new Error('to 10.0.0.1 for ada@example.org'), { code });

describe('a call without an answer', () => {
  const before: [code: string, phase: string][] = [
    ['ECONNREFUSED', 'connect'],
    ['EHOSTUNREACH', 'connect'],
    ['ECONNRESET', 'connect'],
    ['UND_ERR_CONNECT_TIMEOUT', 'connect'],
    ['ENOTFOUND', 'dns'],
    ['EAI_AGAIN', 'dns'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls'],
    ['CERT_HAS_EXPIRED', 'tls'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls'],
    ['EPROTO', 'tls'],
    ['UND_ERR_DESTROYED', 'pool'],
  ];
  for (const [code, phase] of before)
    it(`was not sent when ${code} came before the first byte (${phase}), and is unknown after it`, () => {
      const error = transportFailure(coded(code), { written: false, aborted: false });
      expect([error.outcome, error.phase]).to.deep.equal(['not_sent', phase]);
      expect(error.message).to.include(code);
      const later = transportFailure(coded(code), { written: true, aborted: false });
      expect([later.outcome, later.phase]).to.deep.equal(['unknown', 'data']);
    });

  it('takes its phase from the deadline when that ended it', () => {
    const outcomes = [false, true].map((written) => transportFailure(coded('X'), { written, aborted: true }));
    expect(outcomes.map(({ outcome, phase }) => [outcome, phase])).to.deep.equal([
      ['not_sent', 'deadline'],
      ['unknown', 'deadline'],
    ]);
  });

  it('is rejected by the guard when the address of a host that a caller named is refused', () => {
    const named = 'the endpoint';
    const error = transportFailure(new BlockedAddress(), { written: false, aborted: false, named });
    expect([error.outcome, error.phase]).to.deep.equal(['rejected', 'guard']);
  });

  it('is a fault of the provider when its own host has an address that the file does not allow', () => {
    const error = transportFailure(new BlockedAddress(), { written: false, aborted: false });
    expect([error.outcome, error.phase]).to.deep.equal(['provider_fault', 'guard']);
    expect(error.remedy).to.include('private_hosts');
  });

  it('names what an operator may change', () => {
    const remedies = [undefined, 'the endpoint'].map(
      (named) => transportFailure(coded('ECONNREFUSED'), { written: false, aborted: false, named }).remedy,
    );
    expect(remedies[0]).to.match(/check `base_url`/);
    expect(remedies[1]).to.match(/check the endpoint/);
  });

  it('passes on no text of the error beneath', () => {
    for (const error of [
      coded('ECONNRESET'),
      coded('not a code: ada@example.org'),
      coded(7),
      'ada@example.org',
      undefined,
    ])
      for (const written of [true, false])
        expect(inspect(transportFailure(error, { written, aborted: false }))).not.to.match(/10\.0|ada@/);
  });
});
