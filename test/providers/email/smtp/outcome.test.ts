import { expect } from 'chai';
import type { ProviderError } from '../../../../kernel/adapter.ts';
import { smtpOutcome, type SmtpFault, type SmtpMoment } from '../../../../providers/email/smtp/outcome.ts';

const fault = (given: object): SmtpFault => Object.assign(new Error('no'), given);
const recipients = Array.from({ length: 6 }, (_, index) => ({
  address: `${index}@example.org`,
  at: `address ${index + 1} of \`to\``,
}));
const before: SmtpMoment = { handed: false, recipients };
const handed: SmtpMoment = { handed: true, recipients };

describe('what a failure over SMTP means', () => {
  const seen = ({ outcome, phase, retry_after: later }: ProviderError) => [outcome, phase, later ?? 0].join(' ');

  const replies: readonly (readonly [code: number | undefined, before: string, handed: string])[] = [
    [undefined, 'rejected envelope 0', 'unknown data 0'],
    [399, 'unknown data 0', 'unknown data 0'],
    [400, 'throttled envelope 60', 'throttled data 60'],
    [499, 'throttled envelope 60', 'throttled data 60'],
    [500, 'rejected envelope 0', 'rejected data 0'],
    [503, 'not_sent envelope 0', 'not_sent data 0'],
    [530, 'provider_fault envelope 0', 'provider_fault data 0'],
    [599, 'rejected envelope 0', 'rejected data 0'],
    [600, 'unknown data 0', 'unknown data 0'],
  ];
  for (const [responseCode, first, second] of replies)
    it(`a message answered ${responseCode ?? 'with nothing'}: ${first}; after it was handed over: ${second}`, () => {
      const error = fault({ code: 'EMESSAGE', ...(responseCode === undefined ? {} : { responseCode }) });
      expect([before, handed].map((moment) => seen(smtpOutcome(error, moment)))).to.deep.equal([first, second]);
    });

  const sessions: readonly (readonly [code: number, greeting: string, login: string])[] = [
    [399, 'not_sent connect 0', 'provider_fault auth 0'],
    [400, 'throttled connect 60', 'throttled auth 60'],
    [499, 'throttled connect 60', 'throttled auth 60'],
    [500, 'provider_fault connect 0', 'provider_fault auth 0'],
  ];
  for (const [responseCode, greeting, login] of sessions)
    it(`a session answered ${responseCode}: ${greeting}; a login: ${login}`, () => {
      const told = ['EPROTOCOL', 'EAUTH'].map((code) => seen(smtpOutcome(fault({ code, responseCode }), before)));
      expect(told).to.deep.equal([greeting, login]);
    });

  // What a server answers to which command, and why it rejects.
  const reasons: readonly (readonly [command: string, response: string, reason: string | undefined])[] = [
    ['RCPT TO', '550 5.1.1 no such user', 'recipient_unknown'],
    ['RCPT TO', '550-5.1.1 no such user\n550 5.1.1 here', 'recipient_unknown'],
    ['RCPT TO', '550 5.1.2 no such host', 'recipient_unknown'],
    ['RCPT TO', '553 5.1.3 bad syntax', 'recipient_unknown'],
    ['RCPT TO', '556 5.1.10 null MX', 'recipient_unknown'],
    ['RCPT TO', '551 5.1.6 moved', 'recipient_gone'],
    ['RCPT TO', '550 5.2.1 disabled', 'recipient_blocked'],
    ['RCPT TO', '552 5.2.3 too long for this mailbox', 'content_too_long'],
    ['RCPT TO', '550 5.1.8 no such sender', 'sender_refused'],
    ['RCPT TO', '552 5.2.2 mailbox full', undefined],
    ['RCPT TO', '550 5.1.11 unassigned', undefined],
    ['RCPT TO', '550 5.7.1 relaying denied', undefined],
    ['RCPT TO', '550 no such user', undefined],
    ['RCPT TO', '550 our rule 5.1.1 says no', undefined],
    ['RCPT TO', '450 4.1.1 come back', undefined],
    ['MAIL FROM', '550 no', 'sender_refused'],
    ['MAIL FROM', '553 5.1.7 bad syntax', 'sender_refused'],
    ['MAIL FROM', '550 5.1.1 who are you', 'sender_refused'],
    ['MAIL FROM', '550 5.7.1 not allowed', undefined],
    ['MAIL FROM', '552 too large', 'content_too_long'],
    ['MAIL FROM', '552 5.3.4 too large', 'content_too_long'],
    ['MAIL FROM', '555 unknown parameter', undefined],
    ['DATA', '552 5.3.4 too large', 'content_too_long'],
    ['DATA', '554 5.6.0 undeliverable', 'content_refused'],
    ['DATA', '554 5.6.1 no such media', 'content_refused'],
    ['DATA', '554 5.7.1 spam', undefined],
    ['DATA', '552 no room', undefined],
  ];
  for (const [command, response, reason] of reasons)
    it(`${response.slice(0, 12).trim()} to ${command} rejects because of ${reason ?? 'what it does not say'}`, () => {
      const responseCode = Number(response.slice(0, 3));
      const one = fault({ code: 'EENVELOPE', command, response, responseCode });
      const told = command === 'RCPT TO' ? fault({ code: 'EENVELOPE', rejectedErrors: [one] }) : one;
      expect(smtpOutcome(told, before).reason).to.equal(reason);
    });

  it('a message above the size that the server announced is too long', () => {
    const error = fault({ code: 'EMESSAGE', command: 'MAIL FROM' });
    expect([smtpOutcome(error, before).reason, smtpOutcome(fault({ code: 'EMESSAGE' }), before).reason]).to.deep.equal([
      'content_too_long',
      undefined,
    ]);
  });

  it('several recipients are rejected for the reason that they have in common', () => {
    const reasonOf = (...responses: string[]) => {
      const rejectedErrors = responses.map((response, at) =>
        fault({ response, responseCode: Number(response.slice(0, 3)), recipient: recipients[at]?.address }),
      );
      return smtpOutcome(fault({ code: 'EENVELOPE', rejectedErrors }), before).reason;
    };
    expect(reasonOf('550 5.1.1 no', '550 5.1.2 no')).to.equal('recipient_unknown');
    expect(reasonOf('550 5.1.1 no', '551 5.1.6 no')).to.equal(undefined);
    expect(reasonOf('550 5.1.1 no', '550 no')).to.equal(undefined);
    // What is busy for now does not decide.
    expect(reasonOf('550 5.1.1 no', '450 4.2.0 later')).to.equal('recipient_unknown');
  });

  it('names the places of five refused recipients at most', () => {
    const rejectedErrors = recipients.map(({ address }) => fault({ recipient: address, responseCode: 550 }));
    const { message } = smtpOutcome(fault({ code: 'EENVELOPE', rejectedErrors }), before);
    expect(message).to.include('refused 6 of 6');
    expect(message.match(/(?<=address )\d(?= of `to`)/g)).to.deep.equal(['1', '2', '3', '4', '5']);
  });
});
