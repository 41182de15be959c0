import { expect } from 'chai';
import { hostOf } from '../../../../providers/vendor/http/link.ts';

describe('the host of a link', () => {
  for (const [url, host] of [
    ['HTTPS://User@A.Example:8443/b', 'a.example'],
    ['https://a.example./b', 'a.example'],
    ['https://ａ.bücher.example', 'a.xn--bcher-kva.example'],
    ['https://b.example\\@a.example', 'b.example'],
    ['http://[::1]:80', '[::1]'],
    ['mailto:a@b.example', undefined],
    ['https://', undefined],
    ['', undefined],
  ] as const)
    it(`of ${url} is ${host}`, () => expect(hostOf(url)).to.equal(host));
});
