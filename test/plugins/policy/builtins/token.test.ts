import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { tokenBuiltins } from '../../../../plugins/policy/builtins/token.ts';

const secret = 'a secret of thirty-two letters, or so';
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const signed = `${part({ alg: 'HS256' })}.${part({ sub: 'ada' })}`;
const token = `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;

const decode = (text: string): unknown => tokenBuiltins['io.jwt.decode']?.(text);
const verify = (text: string): unknown => tokenBuiltins['io.jwt.verify_hs256']?.(text, secret);

describe('tokens in policies', () => {
  it('are decoded and verified with three parts', () => {
    expect(decode(token)).to.deep.include.members([{ alg: 'HS256' }, { sub: 'ada' }]);
    expect(verify(token)).to.equal(true);
    expect(verify(`${token.slice(0, -2)}AA`)).to.equal(false);
  });

  it('are not decoded with a number beyond the range of a double, which JSON would make null', () => {
    const payload = Buffer.from('{"limit": [1e999]}').toString('base64url');
    expect(() => decode(`${part({ alg: 'HS256' })}.${payload}.AAEC`)).to.throw('does not hold two JSON objects');
  });

  for (const signature of ['!', 'a b', 'ä', 'abcde'])
    it(`are not decoded with the signature ${signature}`, () => {
      expect(() => decode(`${signed}.${signature}`)).to.throw('the signature is not base64url');
    });

  // RFC 7515 §7.1: a compact JWS is three parts; nobody signs what follows a third dot.
  for (const text of [signed, part({ alg: 'HS256' }), '', `${token}.`, `${token}.more`]) {
    it(`are refused with ${text.split('.').length} part(s): ${text.length} letters`, () => {
      expect(() => decode(text)).to.throw('the text is not a compact JWS');
      expect(() => verify(text)).to.throw('the text is not a compact JWS');
    });
  }
});
