import { expect } from 'chai';
import { ProviderError } from '../../../../kernel/adapter.ts';
import { parsedUrl, requestTarget } from '../../../../providers/http/request/url.ts';

describe('the URL of a request', () => {
  const paths: [given: string, sent: string][] = [
    ['/', '/'],
    ['/a%7Eb%2d%5F%2E', '/a~b-_.'],
    ['/a%2fb%3f', '/a%2Fb%3F'],
    ['/%2e%2E/%61', '/a'],
    ['/%2561', '/%2561'],
    ['/ä?%61=%7E&b=%zz', '/%C3%A4?%61=%7E&b=%zz'],
  ];
  for (const [given, sent] of paths)
    it(`has no needless escape in its path: ${given}`, () => {
      const { path } = requestTarget(`https://example.com${given}`);
      expect(path).to.equal(sent);
      expect(requestTarget(`https://example.com${path}`).path, 'again').to.equal(sent);
    });

  for (const url of [
    'https://example.com./',
    'https://example.com/%',
    'https://example.com/%%361',
    'https://example.com/%6',
  ])
    it(`is refused: ${url}`, () => {
      expect(() => requestTarget(url))
        .to.throw(ProviderError)
        .and.include({ outcome: 'rejected' });
    });

  it('is shown to policies in parts', () => {
    expect(parsedUrl('HTTPS://API.example.com:8443/a%2Fb//%C3%A4/%FF?x=%61&x=b+c&y#z')).to.deep.equal({
      scheme: 'https',
      host: 'api.example.com',
      port: 8443,
      origin: 'https://api.example.com:8443',
      path: '/a%2Fb//%C3%A4/%FF',
      segments: ['a/b', '', 'ä', '\ufffd'],
      query: [
        { name: 'x', value: 'a' },
        { name: 'x', value: 'b c' },
        { name: 'y', value: '' },
      ],
    });
  });
});
