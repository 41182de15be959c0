import { expect } from 'chai';
import { ProviderError } from '../../../kernel/adapter.ts';
import { createAllowList, type AllowEntry } from '../../../kernel/net/allow.ts';
import { parseTarget } from '../../../kernel/net/target.ts';
import type { Method } from '../../../providers/http/request/inputs.ts';

describe('the allow list', () => {
  const admitted = (entries: readonly AllowEntry[], url: string, method: Method = 'GET'): AllowEntry | undefined => {
    try {
      return createAllowList(entries).admit(parseTarget(url), method);
    } catch (error) {
      if (error instanceof ProviderError) return undefined;
      throw error;
    }
  };

  const table: readonly [host: string, urls: readonly string[], others: readonly string[]][] = [
    [
      'example.com',
      ['https://example.com', 'https://EXAMPLE.com/', 'https://example.com:443/x', 'HTTPS://example.com?x'],
      [
        ...['https://www.example.com', 'https://example.com.', 'https://example.com:8443', 'http://example.com'],
        ...['https://example.com.evil.test', 'https://evil-example.com', 'http://example.com:443'],
      ],
    ],
    [
      '*.example.com',
      ['https://www.example.com', 'https://a.b.example.com'],
      ['https://example.com', 'https://evilexample.com', 'https://.example.com', 'https://a.example.com.evil.test'],
    ],
    // No address lies below another one.
    ['*.0.0.1', [], ['https://127.0.0.1', 'https://10.0.0.1']],
    ['[2606:4700::0:1]', ['https://[2606:4700::1]'], ['https://[2606:4700::0:1]', 'https://[2606:4700::2]']],
  ];
  for (const [host, urls, others] of table)
    it(`admits under ${host} what it says and nothing else`, () => {
      for (const url of urls) expect(admitted([{ host }], url), url).not.to.equal(undefined);
      for (const url of others) expect(admitted([{ host }], url), url).to.equal(undefined);
    });

  it('takes an exact host before a wildcard, and the first of two that fit', () => {
    const entries: AllowEntry[] = [
      { host: '*.example.com', methods: ['GET'] },
      { host: 'api.example.com', methods: ['POST'] },
      { host: 'api.example.com', methods: ['PUT'] },
    ];
    expect(admitted(entries, 'https://api.example.com', 'POST')).to.deep.equal(entries[1]);
    for (const method of ['GET', 'PUT'] as const)
      expect(admitted(entries, 'https://api.example.com', method)).to.equal(undefined);
    expect(admitted(entries, 'https://www.example.com')).to.deep.equal(entries[0]);
  });

  it('exempts a host and port that are named in full, never one under a wildcard', () => {
    const exempt = (entry: AllowEntry, host: string, port: number): boolean =>
      createAllowList([entry]).exempt({ scheme: 'https', host, port });
    expect(exempt({ host: 'a.test', private: true }, 'a.test', 443)).to.equal(true);
    expect(exempt({ host: 'a.test', port: 8443, private: true }, 'a.test', 443)).to.equal(false);
    expect(exempt({ host: 'a.test' }, 'a.test', 443)).to.equal(false);
    expect(exempt({ host: '*.a.test', private: true }, 'b.a.test', 443)).to.equal(false);
  });
});
