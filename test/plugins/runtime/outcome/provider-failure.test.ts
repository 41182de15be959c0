import { expect } from 'chai';
import { ProviderError } from '../../../../kernel/error.ts';
import { failureOf } from '../../../../plugins/runtime/outcome/failure.ts';
import {
  callFailureOf,
  loggedReason,
  newestReason,
  probeFailureOf,
  shownFailures,
  type LastFailure,
} from '../../../../plugins/runtime/outcome/provider-failure.ts';

const config = { host: 'mail.example.org', auth: { password: 'pass-word-1' }, args: ['--key', 'pass-word-12'] };
const provider = { config };

describe('the last failure of a provider', () => {
  const shown = (failure: LastFailure['failure']): string =>
    shownFailures(provider, { probeFailure: { at: 0, failure }, callFailure: undefined }).probe_failure?.reason ?? '';

  it('of a probe is the message of a ProviderError and what to change', () => {
    const error = new ProviderError('not_sent', 'no connection', { remedy: 'check `host`' });
    expect(shown(probeFailureOf(error))).to.equal('no connection; check `host`');
  });

  it('of a probe is only the code of any other error', () => {
    const error = Object.assign(new Error('connect to admin:secret@host'), { code: 'ECONNREFUSED' });
    expect(shown(probeFailureOf(error))).to.equal('the adapter failed (ECONNREFUSED); the log of the server says why');
    for (const thrown of [
      'text',
      undefined,
      null,
      { code: 'E2BIG' },
      Object.assign(new Error('x'), { code: 'a secret' }),
    ])
      expect(shown(probeFailureOf(thrown))).to.equal('the adapter failed; the log of the server says why');
  });

  it('is not shown when the message is too long to look for secrets', () => {
    const error = new ProviderError('not_sent', 'x'.repeat(10_001));
    expect(shown(probeFailureOf(error))).to.equal('the message of the adapter is too long to be shown');
  });

  it('of a call is its outcome and phase, unless the adapter gives a remedy', () => {
    const failure = { outcome: 'unknown', phase: 'data', message: 'the tool said: ada@example.com' } as const;
    expect(callFailureOf(failure).message).to.equal('the provider did not report the outcome of the call (data)');
    expect(callFailureOf({ ...failure, message: 'it broke', remedy: 'check `url`' })).to.deep.equal({
      message: 'it broke',
      remedy: 'check `url`',
    });
  });

  it('holds no value of the configuration, no control character, and at most 300 characters and a remedy of 300', () => {
    const message = 'mail.example.org refused pass-word-12\u001b[2J\r\n\u202eabc pass-word-1';
    expect(shown({ message })).to.equal('… refused … [2J abc …');
    expect(shown({ message: '\ud800'.repeat(9000), remedy: 'x'.repeat(9000) })).to.have.length(602);
    expect(loggedReason(provider, new Error('pass-word-1 is wrong'))).to.equal('… is wrong');
  });

  it('holds no secret in what to change either, and nothing before the @ of an address', () => {
    expect(shown({ message: 'refused', remedy: 'replace pass-word-1 in `auth`' })).to.equal(
      'refused; replace … in `auth`',
    );
    expect(
      shown({ message: 'GET https://ada:pa%20ss@mail.example.com/x failed', remedy: 'try amqp://bob:s3@h' }),
    ).to.equal('GET https://…@mail.example.com/x failed; try amqp://…@h');
    expect(loggedReason(provider, new Error('at redis://:hunter2@cache'))).to.equal('at redis://…@cache');
    expect(shown({ message: 'see https://example.com/a@b, or ask x@example.com' })).to.equal(
      'see https://example.com/a@b, or ask x@example.com',
    );
  });

  it('of a call shows no part of a secret at the end of a message that was cut', () => {
    const text = `${'pass-word-12 '.repeat(76)}pass-word-1234`.slice(0, 1000);
    const failure = failureOf(new ProviderError('provider_fault', text, { remedy: 'check `auth`' }));
    if (failure === undefined) throw new Error('no failure');
    expect(shown(callFailureOf(failure))).to.equal('the provider refused the call; check `auth`');
    const long = failureOf(new ProviderError('provider_fault', 'refused', { remedy: text }));
    if (long === undefined) throw new Error('no failure');
    expect(shown(callFailureOf(long))).to.equal('the provider refused the call');
  });

  it('that is shown alone is the newest', () => {
    const [older, newer] = [
      { at: 1, failure: { message: 'older' } },
      { at: 2, failure: { message: 'newer' } },
    ];
    expect(newestReason(provider, { probeFailure: older, callFailure: newer })).to.equal('newer');
    expect(newestReason(provider, { probeFailure: newer, callFailure: older })).to.equal('newer');
    expect(newestReason(provider, { probeFailure: undefined, callFailure: older })).to.equal('older');
    expect(newestReason(provider, { probeFailure: undefined, callFailure: undefined })).to.equal(undefined);
  });
});
