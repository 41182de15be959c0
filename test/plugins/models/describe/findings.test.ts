import { expect } from 'chai';
import fc from 'fast-check';
import { generateToken } from '../../../../plugins/api-keys/token.ts';
import { countCards, hasCheckDigit } from '../../../../plugins/models/describe/cards.ts';
import { SecretCounter, type Findings } from '../../../../plugins/models/describe/findings.ts';
import { sizesOf } from '../../../../plugins/models/describe/sizes.ts';

const none: Findings = { platform_key: 0, private_key: 0, aws_key: 0, jwt: 0, card_number: 0 };

function found(...texts: readonly string[]): Findings {
  const counter = new SecretCounter();
  for (const text of texts) counter.read(text);
  return counter.counts;
}

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const token = [base64({ alg: 'HS256', typ: 'JWT' }), base64({ sub: 'a' }), 'c2ln'].join('.');
const key = generateToken('live');
const pem = (name: string): string => `-----BEGIN ${name}-----`;
const privates = ['', 'RSA ', 'EC ', 'OPENSSH ', 'ENCRYPTED '].map((kind) => pem(`${kind}PRIVATE KEY`));
const cardsOfSchemes = '4111111111111111, 5500-0000-0000-0004; 378282246310005 6011111111111117 3530111333300000';
const all = `${key} ${pem('PRIVATE KEY')} AKIAIOSFODNN7EXAMPLE ${token} 4111111111111111`;

// A card with a valid check digit, in one group or in several.
const cards = fc.tuple(fc.stringMatching(/^4[0-9]{14}$/), fc.constantFrom('', ' ', '-')).map(([digits, separator]) => {
  const whole = [...'0123456789'].map((last) => digits + last).find((one) => hasCheckDigit([...one].map(Number))) ?? '';
  return (whole.match(/.{4}/g) ?? []).join(separator);
});
const tokens = fc
  .tuple(fc.constantFrom('HS256', 'none'), fc.dictionary(fc.string(), fc.string()))
  .map(([alg, payload]) => `${base64({ alg })}.${base64({ iss: 'x', ...payload })}.`);

describe('findings in prompts', () => {
  const rows: readonly (readonly [name: string, text: string, expected: Partial<Findings>])[] = [
    ['nothing', 'How are you?', {}],
    ['a key of the platform', `use ${key}.`, { platform_key: 1 }],
    ['two keys of both modes', `${key} ${generateToken('test')}`, { platform_key: 2 }],
    ['a key with a wrong checksum', `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`, {}],
    ['a part of a longer word', `${key}a`, {}],
    ['private keys', privates.join('\n'), { private_key: 5 }],
    ['a private key of PGP', pem('PGP PRIVATE KEY BLOCK'), { private_key: 1 }],
    ['a public key', pem('PUBLIC KEY'), {}],
    ['ids of AWS', 'AKIAIOSFODNN7EXAMPLE and ASIAIOSFODNN7EXAMPLE,', { aws_key: 2 }],
    ['parts of longer words', 'XAKIAIOSFODNN7EXAMPLE AKIAIOSFODNN7EXAMPLEX', {}],
    ['a token', `Bearer ${token}`, { jwt: 1 }],
    ['a token without a signature', token.slice(0, -4), { jwt: 1 }],
    ['what only looks like a token', 'eyJhIjoxfQ.eyJhIjoxfQ.c2ln', {}],
    ['a card', 'my card is 4111 1111 1111 1111.', { card_number: 1 }],
    ['cards of five schemes', cardsOfSchemes, { card_number: 5 }],
    ['a card with its code', '4111-1111-1111-1111 123', { card_number: 1 }],
    ['a card after another number', '12 4111 1111 1111 1111', { card_number: 1 }],
    ['a wrong check digit', '4111 1111 1111 1112', {}],
    ['a card in a longer number', '94111111111111111', {}],
    ['decimals', '0.4111111111111111 4111111111111111.5', {}],
    ['a name with digits', 'run_4111111111111111 4111111111111111x', {}],
    ['digits without a scheme', '1000000000000008', {}],
    ['all kinds', all, { platform_key: 1, private_key: 1, aws_key: 1, jwt: 1, card_number: 1 }],
  ];
  for (const [name, text, expected] of rows)
    it(`count ${name}`, () => expect(found(text)).to.deep.equal({ ...none, ...expected }));

  it('count what is in any text, and nothing in data of images and documents', () => {
    const text = `a ${key}`;
    const image = { type: 'image', media_type: 'image/png', data_base64: key };
    const { findings } = sizesOf({
      model: 'fast',
      messages: [
        { role: 'user', content: text },
        { role: 'user', content: [{ type: 'text', text }, image] },
        { role: 'user', content: [{ type: 'image', url: `https://example.com/${key}` }] },
        { role: 'assistant', content: '', tool_calls: [{ id: 'a', name: 'b', arguments_text: text }] },
      ],
      tools: [{ name: 'b', description: text, input_schema: { enum: [text] } }],
    });
    expect(findings).to.deep.equal({ ...none, platform_key: 6 });
    expect(sizesOf({ input: [text, 'b'] }).findings.platform_key).to.equal(1);
  });

  const plain = fc.string({ unit: fc.constantFrom(...'abc XYZ,:;"\n\\{}'), maxLength: 40 });
  const kinds: readonly (readonly [keyof Findings, fc.Arbitrary<string>])[] = [
    ['platform_key', fc.constantFrom('live', 'test').map((mode) => generateToken(mode as 'live'))],
    ['private_key', fc.constantFrom(...privates)],
    ['aws_key', fc.stringMatching(/^A[KS]IA[A-Z2-7]{16}$/)],
    ['jwt', tokens],
    ['card_number', cards],
  ];
  for (const [kind, arbitrary] of kinds)
    it(`find each ${kind}, wherever it stands, and nothing else`, () => {
      fc.assert(
        fc.property(plain, arbitrary, plain, (before, secret, after) => {
          expect(found(`${before}(${secret})${after}`)).to.deep.equal({ ...none, [kind]: 1 });
          expect(found(before, after)).to.deep.equal(none);
        }),
      );
    });

  it('find a card between other digits', () => {
    const text = fc.string({ unit: fc.constantFrom(...'4115 -.a'), maxLength: 80 });
    fc.assert(
      fc.property(text, cards, text, (before, card, after) => {
        expect(countCards(`${before}:${card}:${after}`)).to.be.at.least(1);
      }),
    );
  });

  // The text of the longest request takes FINDINGS_MIB=16; PRINT_CPU=1 shows what each takes.
  const size = Number(process.env['FINDINGS_MIB'] ?? 1) * 1024 * 1024;
  const hostile = [
    ...['eyJ', 'eyJa.', '-----BEGIN A PRIVATE KEY ', '-', '4', '411 ', '4111 1111 1111 1112 ', 'AKIA', 'orb_live_'],
    ...['eyJhbGciOiJub25lIn0.eyJ', 'hello, world. '],
  ];
  for (const unit of hostile)
    it(`end with a long text of ${JSON.stringify(unit)}`, () => {
      const text = unit.repeat(Math.ceil(size / unit.length));
      const begun = process.cpuUsage();
      expect(found(text, all)).to.include({ platform_key: 1, private_key: 1, aws_key: 1 });
      const ms = Math.round(process.cpuUsage(begun).user / 1000);
      if (process.env['PRINT_CPU'] === '1') process.stdout.write(`      ${ms} ms\n`);
    });
});
