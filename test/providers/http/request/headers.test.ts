import { expect } from 'chai';
import { allowing, call, createBed, failure } from '../bed.ts';

describe('the headers a caller may send', () => {
  const bed = createBed();

  const refused: Readonly<Record<string, unknown>>[] = [
    { 'x-a': 'a\r\nx-b: b' },
    { 'x-a': 'a\nb' },
    { 'x-a': 'a\rb' },
    { 'x-a': 'a\0b' },
    { 'x-a': 'a\u2028b' },
    { 'x-a': 'č' },
    { 'x-a': 'x'.repeat(8193) },
    { 'x-a': 7 },
    { 'x-a': ['a', 'b'] },
    { 'x-a\r\nx-b': 'b' },
    { 'x-a: b\r\nx-c': 'c' },
    { 'x a': 'a' },
    { 'x-é': 'a' },
    { '': 'a' },
    { 'X-A': 'a', 'x-a': 'b' },
    { Host: 'a.test' },
    { Connection: 'close' },
    { 'Content-Length': '0' },
    { 'Transfer-Encoding': 'chunked' },
    { Upgrade: 'h2c' },
    { Expect: '100-continue' },
    { TE: 'trailers' },
    { Trailer: 'x' },
    { 'Keep-Alive': 'timeout=1' },
    { 'Accept-Encoding': 'zstd' },
    { 'Idempotency-Key': 'mine' },
    { 'Proxy-Authorization': 'Basic x' },
    { Forwarded: 'for=127.0.0.1' },
    { 'X-Forwarded-For': '127.0.0.1' },
    { 'X-Real-IP': '127.0.0.1' },
    { Via: '1.1 x' },
    { 'X-HTTP-Method-Override': 'DELETE' },
    { 'X-HTTP-Method': 'DELETE' },
    { 'X-Method-Override': 'DELETE' },
    { Authorization: 'Bearer other' },
    { AUTHORIZATION: 'Bearer other' },
  ];
  for (const headers of refused)
    for (const method of ['GET', 'POST'])
      it(`of a ${method} are not ${JSON.stringify(headers).slice(0, 60)}`, async () => {
        const target = await bed.target();
        const handle = await bed.open(allowing(target, { headers: { authorization: 'Bearer own' } }));
        const error = await failure(call(handle, { url: target.url, method, headers }));
        expect(error.outcome).to.equal('rejected');
        expect(error.message).to.match(/^[ -~]{1,160}$/);
        expect(await target.acceptedBefore()).to.equal(0);
      });

  for (const headers of [[], 'x', null, 7])
    it(`are an object, not ${JSON.stringify(headers)}`, async () => {
      const target = await bed.target();
      const error = await failure(call(await bed.open(allowing(target)), { url: target.url, headers }));
      expect(error.outcome).to.equal('rejected');
    });

  it('may have a value of 8,192 characters', async () => {
    const target = await bed.target();
    const longest = 'x'.repeat(8192);
    await call(await bed.open(allowing(target)), { url: target.url, headers: { 'x-a': longest } });
    expect(target.requests[0]?.lines).to.include(`x-a: ${longest}`);
  });

  it('may be called like a member of every object', async () => {
    const target = await bed.target();
    const headers: unknown = JSON.parse('{"constructor":"a","__proto__":"b"}');
    await call(await bed.open(allowing(target)), { url: target.url, headers });
    expect(target.requests[0]?.lines).to.include.members(['constructor: a', '__proto__: b']);
  });

  it('are any others, also in the place of ours', async () => {
    const target = await bed.target();
    const headers = { Accept: 'a/b', 'User-Agent': 'me', Authorization: 'Bearer caller', Cookie: 'a=b' };
    await call(await bed.open(allowing(target)), { url: target.url, headers });
    expect(target.requests[0]?.lines.slice(3).sort()).to.deep.equal([
      'accept-encoding: gzip, deflate, br',
      'accept: a/b',
      'authorization: Bearer caller',
      'cookie: a=b',
      'user-agent: me',
    ]);
  });
});
