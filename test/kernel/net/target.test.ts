import { expect } from 'chai';
import { ProviderError } from '../../../kernel/adapter.ts';
import { defaultPort, literalAddress, parseTarget } from '../../../kernel/net/target.ts';

describe('the target of a request', () => {
  it('is read in canonical form, without its fragment', () => {
    expect(parseTarget('HTTPS://Api.Example.com/a b?c=ä#d'.replace('a b', 'a%20b'))).to.deep.equal({
      scheme: 'https',
      host: 'api.example.com',
      port: 443,
      origin: 'https://api.example.com',
      path: '/a%20b?c=%C3%A4',
    });
    expect(parseTarget('http://[2606:4700::1]:8080')).to.deep.include({
      host: '[2606:4700::1]',
      port: 8080,
      path: '/',
    });
  });

  it('may have 8192 characters, and not one more', () => {
    const url = (length: number): string => 'https://example.com/'.padEnd(length, 'x');
    expect(parseTarget(url(8192)).path).to.have.length(8192 - 'https://example.com'.length);
    expect(() => parseTarget(url(8193))).to.throw(ProviderError, 'longer than 8192');
  });

  for (const url of ['https://example.com:0', 'https://example.com:65536', 'https://example.com:'])
    it(`has no such port: ${url}`, () => {
      expect(() => parseTarget(url))
        .to.throw(ProviderError)
        .and.include({ outcome: 'rejected', phase: 'guard' });
    });

  it('has one spelling of its host: without a dot at its end', () => {
    for (const url of ['https://example.com./', 'http://127.0.0.1.:80/', 'https://./'])
      expect(() => parseTarget(url), url)
        .to.throw(ProviderError, 'not ending with a dot')
        .and.include({ outcome: 'rejected', phase: 'guard' });
  });

  it('has the port of its scheme when none is named', () => {
    expect([defaultPort('http'), defaultPort('https')]).to.deep.equal([80, 443]);
  });

  it('is an address only when it is written as one', () => {
    expect(['127.0.0.1', '[::1]', 'example.com', '1.2.3'].map(literalAddress)).to.deep.equal([
      '127.0.0.1',
      '::1',
      undefined,
      undefined,
    ]);
  });
});
