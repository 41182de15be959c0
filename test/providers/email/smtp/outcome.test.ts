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

  it('names the places of five refused recipients at most', () => {
    const rejectedErrors = recipients.map(({ address }) => fault({ recipient: address, responseCode: 550 }));
    const { message } = smtpOutcome(fault({ code: 'EENVELOPE', rejectedErrors }), before);
    expect(message).to.include('refused 6 of 6');
    expect(message.match(/(?<=address )\d(?= of `to`)/g)).to.deep.equal(['1', '2', '3', '4', '5']);
  });
});
