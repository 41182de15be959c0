import { expect } from 'chai';
import { sendRaw } from '../../../helpers/http.ts';
import { fullKey, startHttp, type Fixture } from '../fixture.ts';

const start = 'POST /echo/1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n';
const key = `Authorization: Bearer ${fullKey}\r\n`;
const type = 'Content-Type: application/json\r\n';
const whole = `Content-Length: 12\r\n\r\n{"text":"x"}`;
const parts = `\r\n6\r\n{"text\r\n6\r\n":"x"}\r\n0\r\n\r\n`;

describe('the head of a request', () => {
  let fixture: Fixture;
  before(async () => {
    fixture = await startHttp();
  });
  after(() => fixture.http.drain(0));

  const heads = [
    { name: 'with each header once is served', head: start + key + type + whole, status: 200 },
    {
      name: 'with a body in chunks is served',
      head: `${start}${key}${type}Transfer-Encoding: Chunked\r\n${parts}`,
      status: 200,
    },
    { name: 'with two keys is 400', head: start + key + key + type + whole, status: 400, code: 'malformed_request' },
    {
      name: 'with two keys in other letters is 400',
      head: `${start}${key}AUTHORIZATION: Bearer other\r\n${type}${whole}`,
      status: 400,
      code: 'malformed_request',
    },
    {
      name: 'with two media types is 400',
      head: `${start}${key}${type}content-type: text/plain\r\n${whole}`,
      status: 400,
      code: 'malformed_request',
    },
    ...['gzip', 'gzip, chunked', 'identity', 'chunked, chunked'].map((coding) => ({
      name: `with the Transfer-Encoding ${coding} is 501`,
      head: `${start}${key}${type}Transfer-Encoding: ${coding}\r\n${parts}`,
      status: 501,
      code: 'unsupported_coding',
    })),
  ];
  const lengths = [
    ...[
      ['Content-Length: 12', 'Transfer-Encoding: chunked'],
      ['Transfer-Encoding: chunked', 'Content-Length: 12'],
      ['Transfer-Encoding: gzip', 'Content-Length: 12'],
    ].map((both) => ({
      name: `with ${both.join(' and ')} is 400, and names both`,
      head: `${start}${key}${type}${both.join('\r\n')}\r\n${parts}`,
      ...{ status: 400, code: 'malformed_request', says: 'either Content-Length or Transfer-Encoding' },
    })),
    {
      name: 'with two lengths is 400',
      head: `${start}${key}${type}Content-Length: 13\r\n${whole}`,
      ...{ status: 400, code: 'malformed_request', says: 'send the header Content-Length once' },
    },
    {
      name: 'with a length that is no number is 400',
      head: `${start}${key}${type}Content-Length: -12\r\n\r\n`,
      ...{ status: 400, code: 'malformed_request', says: 'Content-Length must be a number of bytes' },
    },
  ];
  for (const { name, head, status, code, says } of [...heads.map((one) => ({ says: '', ...one })), ...lengths]) {
    it(name, async () => {
      const text = await sendRaw(fixture.base, head);
      expect(text).to.match(new RegExp(`^HTTP/1.1 ${status} `));
      if (code !== undefined) expect(text).to.include(`"code":"${code}"`);
      expect(text).to.include(says);
    });
  }

  it('that is none is answered with the headers of every answer', async () => {
    const text = await sendRaw(fixture.base, 'nonsense\r\n\r\n');
    expect(text).to.match(/^HTTP\/1\.1 400 Bad Request\r\n/);
    const lines = text.split('\r\n\r\n')[0]?.split('\r\n').slice(1) ?? [];
    expect(lines.map((line) => line.replace(/(Length|Id): .*/, '$1'))).to.deep.equal([
      'Content-Type: application/problem+json',
      'Content-Length',
      'X-Request-Id',
      'X-Content-Type-Options: nosniff',
      'Cache-Control: no-store',
      'X-Should-Retry: false',
      'Connection: close',
    ]);
  });
});
