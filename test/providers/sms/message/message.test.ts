import { expect } from 'chai';
import { ProviderError } from '../../../../kernel/adapter.ts';
import { message, parsedInputs } from '../../../../providers/sms/message/message.ts';

const good = { to: '+4915123456789', text: 'Hello' };

const refusals: readonly [why: string, given: object, reason: string | undefined][] = [
  ['no calling code', { to: '015123456789' }, 'recipient_unknown'],
  ['two numbers', { to: '+4915123456789,+436641234567' }, 'recipient_unknown'],
  ['too long a number', { to: '+4915123456789012' }, 'recipient_unknown'],
  ['no recipient', { to: undefined }, undefined],
  ['no text', { text: '' }, 'content_refused'],
  ['NUL', { text: 'a\0b' }, 'content_refused'],
  ['a tab', { text: 'a\tb' }, 'content_refused'],
  ['a control character of C1', { text: 'a\u0085b' }, 'content_refused'],
  ['half a pair', { text: 'a\ud83d' }, 'content_refused'],
  ['a text that is too long', { text: 'a'.repeat(919) }, 'content_too_long'],
  ['more segments than the caller wants', { text: 'a'.repeat(161), max_segments: 1 }, 'content_too_long'],
  ['a text that GSM cannot write', { text: 'It’s late', encoding: 'gsm7' }, 'content_refused'],
  ['an unknown member', { cc: '+436641234567' }, undefined],
  ['a number as text', { text: 5 }, undefined],
  ['a text as number', { valid_for_s: '60' }, undefined],
];

describe('a text message', () => {
  for (const [why, given, reason] of refusals)
    it(`with ${why} is rejected, and the sentence shows no value`, () => {
      const inputs = JSON.parse(JSON.stringify({ ...good, ...given })) as Record<string, unknown>;
      for (const read of [message, parsedInputs]) {
        const error = failureOf(() => read(inputs));
        expect([error.outcome, error.reason]).to.deep.equal(['rejected', reason]);
        expect(error.message).not.to.match(/4366|late|aaa|b$/);
      }
    });

  it('is passed on as it is, whatever its script', () => {
    for (const text of ['a\r\nb', 'שלום \u202eabc', 'zero\u200bwidth', '👨‍👩‍👧 <b>&amp;', ' trailing '])
      expect(message({ ...good, text }).text).to.equal(text);
  });

  it('has its defaults, and what the caller says', () => {
    const given = { from: 'alerts', purpose: 'otp', valid_for_s: 600, max_segments: 10, encoding: 'auto' };
    const counted = { segments: 1, encoding: 'gsm7' };
    expect(message(good)).to.deep.equal({
      ...{ ...good, ...counted },
      ...{ from: undefined, purpose: 'transactional', valid_for_s: undefined },
    });
    const all = { ...good, ...counted, from: 'alerts', purpose: 'otp', valid_for_s: 600 };
    expect(message({ ...good, ...given })).to.deep.equal(all);
  });

  it('shows policies the number with its country, and what the text costs', () => {
    const text = `${'a'.repeat(70)}’`;
    expect(parsedInputs({ ...good, text })).to.deep.equal({
      to: { number: '+4915123456789', country: 'DE' },
      text: { segments: 2, encoding: 'ucs2' },
    });
    expect(parsedInputs({ ...good, to: '+8821612345678' }).to).to.deep.equal({ number: '+8821612345678' });
  });
});

function failureOf(read: () => unknown): ProviderError {
  try {
    read();
  } catch (error) {
    if (error instanceof ProviderError) return error;
  }
  return expect.fail('it is not rejected');
}
