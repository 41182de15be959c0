import { expect } from 'chai';
import { ProviderError } from '../../../../kernel/adapter.ts';
import { compose } from '../../../../providers/email/message/compose.ts';
import { testKey } from '../../../helpers/conformance.ts';
import { parseMail } from '../mail.ts';
import { envelope, message } from '../../../../providers/email/message/message.ts';

const good = { to: 'ada@example.org', from_address: 'orb@example.com', subject: 'Hi', body: 'Hello' };
const key = testKey('c');
const list = (count: number, from = 0): string =>
  Array.from({ length: count }, (_, index) => `a${index + from}@example.org`).join(', ');

describe('email contract', () => {
  const taken: { text: string; mailboxes: [name: string, address: string][] }[] = [
    { text: 'ada@example.org', mailboxes: [['', 'ada@example.org']] },
    { text: '  <ada@example.org> ', mailboxes: [['', 'ada@example.org']] },
    { text: 'Ada Lovelace <ada@example.org>', mailboxes: [['Ada Lovelace', 'ada@example.org']] },
    { text: '"Lovelace, Ada <x@y.z>" <ada@example.org>', mailboxes: [['Lovelace, Ada <x@y.z>', 'ada@example.org']] },
    { text: '"a \\"b\\" \\\\c" <ada@example.org>', mailboxes: [['a "b" \\c', 'ada@example.org']] },
    {
      text: 'John Q. Public <jq@x.test>, b@y.test',
      mailboxes: [
        ['John Q. Public', 'jq@x.test'],
        ['', 'b@y.test'],
      ],
    },
    { text: 'Žofie <zofie@PŘÍKLAD.CZ>', mailboxes: [['Žofie', 'zofie@xn--pklad-zsa96e.cz']] },
    { text: 'Mixed.Case+tag@Example.ORG', mailboxes: [['', 'Mixed.Case+tag@example.org']] },
    { text: 'root@localhost', mailboxes: [['', 'root@localhost']] },
  ];
  for (const { text, mailboxes } of taken)
    it(`reads the address list ${text}`, () => {
      const { to } = message({ ...good, to: text }, key);
      expect(to.map(({ name, address }) => [name, address])).to.deep.equal(mailboxes);
    });

  for (const longest of [
    `${'a'.repeat(64)}@example.org`,
    `ada@${'a'.repeat(63)}.org`,
    `${'a'.repeat(64)}@${'abcdefgh.'.repeat(20)}abcde.org`,
    `${'n'.repeat(256)} <ada@example.org>`,
  ])
    it(`reads an address list of ${longest.length} characters, whose parts are as long as can be`, () => {
      expect(message({ ...good, to: longest }, key).to).to.have.length(1);
    });

  it('reads 50 addresses for replies', () => {
    expect(message({ ...good, reply_to: list(50) }, key).reply_to).to.have.length(50);
  });

  const refusedLists = [
    'ada',
    '@example.org',
    'ada@',
    'ada@@example.org',
    'a@b@example.org',
    'ada@example.org,',
    'ada@example.org,,bob@example.org',
    'ada@example.org; bob@example.org',
    'ada@example.org bob@example.org',
    'friends: ada@example.org, bob@example.org;',
    'undisclosed-recipients:;',
    'ada@example.org (comment)',
    '(comment) ada@example.org',
    '<@relay.test:ada@example.org>',
    'Ada <ada@example.org> x',
    'Ada <ada@example.org',
    'Ada ada@example.org>',
    'a@evil.test <ada@example.org>',
    'Ada <<ada@example.org>>',
    '"ada@evil.test"@example.org',
    '"unterminated <ada@example.org>',
    '.ada@example.org',
    'ada.@example.org',
    'a..b@example.org',
    'ada@example..org',
    'ada@-example.org',
    'ada@example-.org',
    'ada@.example.org',
    'ada@example.org.',
    'ada@exa_mple.org',
    'ada@example.org/path',
    'ada@127.0.0.1',
    'ada@１.２.３.４',
    'ada@[127.0.0.1]',
    'ada@[x@evil.test]',
    'ada@%65xample.org',
    'žofie@example.org',
    `${'a'.repeat(65)}@example.org`,
    `ada@${'a'.repeat(64)}.org`,
    `ada@${'abcdefgh.'.repeat(28)}org`,
    `${'n'.repeat(257)} <ada@example.org>`,
    `${'a'.repeat(64)}@${'abcdefgh.'.repeat(20)}abcdef.org`,
  ];
  for (const to of refusedLists)
    it(`refuses the address list ${to.length > 60 ? `${to.slice(0, 30)}… of ${to.length}` : to}`, () => {
      const { outcome, message: text } = refusal({ ...good, to });
      expect(outcome).to.equal('rejected');
      expect(text).to.match(/^address \d+ of `to` /);
      expect(text).not.to.include('example');
    });

  for (const field of ['to', 'from_address', 'subject', 'cc', 'bcc', 'reply_to'])
    for (const [name, evil] of Object.entries({
      CRLF: '\r\nBcc: x@evil.test',
      CR: '\rBcc: x@evil.test',
      LF: '\nBcc: x@evil.test',
      NUL: '\0',
      'next line': '\u0085',
      'line separator': '\u2028',
      'half a character': '\ud83d',
    }))
      it(`refuses ${name} in ${field}`, () => {
        const { outcome, message: text } = refusal({ ...good, [field]: `ada@example.org${evil}` });
        expect(outcome).to.equal('rejected');
        expect(text).to.match(new RegExp(`^${field} `));
      });

  const content_base64 = 'aGk=';
  const refusedFields: { name: string; given: Record<string, unknown>; at: string }[] = [
    { name: 'no to', given: { to: undefined }, at: 'to ' },
    { name: 'an empty to', given: { to: '' }, at: 'address 1 of `to` ' },
    { name: 'text that is none', given: { subject: 5 }, at: 'subject ' },
    { name: 'two senders', given: { from_address: 'a@x.test, b@x.test' }, at: 'from_address ' },
    { name: 'a field it does not know', given: { priority: 'high' }, at: 'inputs ' },
    { name: '51 addresses in one field', given: { to: list(51) }, at: 'to ' },
    {
      name: '51 addresses together',
      given: { to: list(17), cc: list(17, 17), bcc: list(17, 34) },
      at: 'to, cc and bcc ',
    },
    { name: '51 addresses for replies', given: { reply_to: list(51) }, at: 'reply_to ' },
    { name: 'a line break in a file name', given: file({ filename: 'a\r\nX: y' }), at: '`filename` of attachment 1 ' },
    { name: 'a path as a file name', given: file({ filename: '../a' }), at: '`filename` of attachment 1 ' },
    {
      name: 'a line break in a type',
      given: file({ content_type: 'text/plain\r\nX: y' }),
      at: '`content_type` of attachment 1 ',
    },
    {
      name: 'a multipart attachment',
      given: file({ content_type: 'multipart/mixed' }),
      at: '`content_type` of attachment 1 ',
    },
    {
      name: 'a message attachment',
      given: file({ content_type: 'Message/rfc822' }),
      at: '`content_type` of attachment 1 ',
    },
    ...['aGk', 'aGl=', 'aGk=\n', 'aG-_', '=', 'a', 'aGk=aGk='].map((text) => ({
      name: `base64 that is not canonical: ${JSON.stringify(text)}`,
      given: file({ content_base64: text }),
      at: '`content_base64` of attachment 1 ',
    })),
  ];
  for (const { name, given, at } of refusedFields)
    it(`refuses ${name}`, () => {
      const { outcome, message: text } = refusal({ ...good, ...given });
      expect(outcome).to.equal('rejected');
      expect(text.slice(0, at.length)).to.equal(at);
    });

  function file(change: Record<string, unknown>): Record<string, unknown> {
    return { attachments: [{ filename: 'a', content_base64, ...change }] };
  }

  it('takes 50 addresses, and names each once in the envelope, by its first place', () => {
    const mail = message({ ...good, to: list(25), cc: list(24, 25), bcc: 'a0@EXAMPLE.org' }, key);
    const { from, recipients } = envelope(mail);
    expect(from).to.equal('orb@example.com');
    expect(recipients).to.have.length(49);
    expect(recipients[0]).to.deep.equal({ address: 'a0@example.org', at: 'address 1 of `to`' });
    expect(recipients[25]?.at).to.equal('address 1 of `cc`');
  });

  it('derives the Message-ID from key and sender, so that a repeated call makes the same', () => {
    expect(message(good, key).message_id).to.equal(`<${key}@example.com>`);
    expect(message(good, key)).to.deep.equal(message(good, key));
  });

  it('sends nothing under a key that is unfit for a header', () => {
    for (const bad of ['', 'a>b@c', '../../etc', 'A'.repeat(52), `${key}\n`])
      expect(refusal(good, bad).outcome).to.equal('not_sent');
  });

  it('composes hostile names, subjects and bodies into one header field each', async () => {
    const given = {
      ...good,
      to: '"=?utf-8?q?x=0d=0aBcc:_y@evil.test?=" <ada@example.org>, "a\\", b@evil.test" <bob@example.org>',
      subject: `${'ž'.repeat(400)} .\t`.trim(),
      body: '.\n..\nFrom me\n\r.\r\nend\0',
      ...file({ filename: 'a"; name="b.exe' }),
    };
    const raw = await compose(message(given, key));
    const { headers, parts } = parseMail(raw);
    expect(Object.keys(headers).sort()).to.deep.equal([
      'content-type',
      'date',
      'from',
      'message-id',
      'mime-version',
      'subject',
      'to',
    ]);
    expect(raw.toString('latin1').replaceAll('\r\n', '')).not.to.match(/[\r\n\0\x80-\xff]/);
    for (const line of raw.toString('latin1').split('\r\n')) expect(line.length).to.be.at.most(998);
    expect(parts).to.have.length(2);
  });

  it('composes an empty body', async () => {
    const { headers, text } = parseMail(await compose(message({ ...good, subject: '', body: '' }, key)));
    expect(headers['content-type']).to.match(/^text\/plain/);
    expect(text.trim()).to.equal('');
  });

  it('reads a hostile list of the largest size quickly', () => {
    const started = performance.now();
    for (const pattern of ['"', '\\', '"\\', '<', '" "', 'a ', '@', ','])
      refusal({ ...good, to: `${pattern.repeat(16000 / pattern.length)}` });
    expect(performance.now() - started).to.be.lessThan(1000);
  });
});

function refusal(inputs: Record<string, unknown>, under = key): ProviderError {
  try {
    message(inputs, under);
  } catch (error) {
    if (error instanceof ProviderError) return error;
    throw error;
  }
  return expect.fail('was taken');
}
