import { expect } from 'chai';
import { addressOf, wordsOf } from '../../../../providers/email/smtp/server-words.ts';

const auth = { user: 'ada@example.org', password: 'correct horse' };
const server = { host: 'mail.example.org', port: 25, auth };
const encoded = (text: string): string => Buffer.from(text).toString('base64');

describe('the words of a mail server', () => {
  it('are quoted in one line', () => {
    expect(wordsOf('535 5.7.8\r\n\u001b[2JError: "authentication" failed', server)).to.equal(
      `the server said: "535 5.7.8 [2JError: 'authentication' failed"`,
    );
    expect(wordsOf(`550 ${'long '.repeat(500)}`, server)).to.have.lengthOf.at.most(200);
  });

  for (const [form, text] of [
    ['the password', auth.password],
    ['the password in capitals', auth.password.toUpperCase()],
    ['a part of the password', 'horse'],
    ['the user', `<${auth.user}>`],
    ['the password in base64', encoded(auth.password)],
    ['the password in hexadecimal digits', Buffer.from(auth.password).toString('hex')],
    ['the command AUTH PLAIN', encoded(`\0${auth.user}\0${auth.password}`)],
    ['the beginning of the command AUTH PLAIN', encoded(`\0${auth.user}\0${auth.password}`).slice(0, 12)],
    ['a digest', 'b913a602c7eda7a495b4e6e7334d3890'],
  ] as const)
    it(`leave out ${form}`, () => {
      const said = wordsOf(`535 no login: ${text} is refused`, server);
      expect(said).to.match(/^the server said: "535 no login: \S*…\S* is refused"$/u);
      expect(said).not.to.include(text);
    });

  it('leave out the password behind letters that are longer in lower case', () => {
    const said = wordsOf(`535 ${'İ'.repeat(30)} correct horse, correct horse`, server);
    expect(said).to.equal(`the server said: "535 ${'İ'.repeat(30)} …, …"`);
  });

  it('leave out a password with characters that one line does not have', () => {
    const strange = { ...server, auth: { user: 'ada', password: 'a1  b2\u200bc3\u0007d4' } };
    expect(wordsOf('535 a1  b2\u200bc3\u0007d4 is wrong', strange)).to.equal('the server said: "535 … is wrong"');
  });

  it('are not shown at all where a password is so short that gaps would tell it', () => {
    expect(wordsOf('535 no', { ...server, auth: { user: 'ada', password: 'abc' } })).to.equal(undefined);
  });

  it('are undefined when the server said nothing', () => {
    expect([wordsOf(undefined, server), wordsOf(' \r\n', server)]).to.deep.equal([undefined, undefined]);
  });

  it('come from a host with its port, an address of IPv6 in brackets', () => {
    expect(addressOf(server)).to.equal('mail.example.org:25');
    expect(addressOf({ ...server, host: '::1' })).to.equal('[::1]:25');
  });
});
