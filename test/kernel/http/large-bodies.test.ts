import { expect } from 'chai';
import { defineRoute } from '../../../kernel/http/route/route.ts';
import { expectProblem, send } from '../../helpers/http.ts';
import { fullKey, startHttp, type Fixture } from './fixture.ts';

const shared = {
  method: 'POST',
  service: 'runtime',
  summary: 's',
  produces: 'application/json',
  problems: [],
  body: { type: 'object' },
} as const;
const most = 64 * 1024;

describe('a large body', () => {
  let fixture: Fixture;
  before(async () => {
    fixture = await startHttp({
      routes: [
        defineRoute({
          ...shared,
          path: '/open',
          public: true,
          handle: ({ body }) => ({ parsed: Object.keys(body) }),
          handleLarge: (bytes) => ({ bytes: Buffer.from(bytes).toString('latin1', 0, 8), length: bytes.length }),
        }),
        defineRoute({ ...shared, path: '/small', public: true, handle: ({ body }) => ({ parsed: Object.keys(body) }) }),
        defineRoute({ ...shared, path: '/keyed', scope: 'x', handle: ({ body }) => ({ parsed: Object.keys(body) }) }),
      ],
    });
  });
  after(() => fixture.http.drain(0));

  const ask = (path: string, body: string, key?: string) =>
    send(fixture.base, path, {
      body,
      headers: { 'content-type': 'application/json' },
      ...(key === undefined ? {} : { key }),
    });
  const sized = (length: number): string => `{"a":1}${' '.repeat(length - 7)}`;

  it('of a public route is not parsed by the thread that serves', async () => {
    expect((await ask('/open', sized(most))).json).to.deep.equal({ parsed: ['a'] });
    expect((await ask('/open', sized(most + 1))).json).to.deep.equal({ bytes: '{"a":1} ', length: most + 1 });
    // Not even its grammar was looked at.
    expect((await ask('/open', '['.repeat(2 * most))).json).to.deep.equal({ bytes: '[[[[[[[[', length: 2 * most });
    expectProblem(await ask('/open', '['.repeat(most)), 400, 'malformed_json');
  });

  it('of a public route that has no thread for it is 413', async () => {
    expect((await ask('/small', sized(most))).json).to.deep.equal({ parsed: ['a'] });
    expectProblem(await ask('/small', sized(most + 1)), 413, 'payload_too_large');
  });

  it('of a route with a key is parsed as any other', async () => {
    expect((await ask('/keyed', sized(4 * most), fullKey)).json).to.deep.equal({ parsed: ['a'] });
  });
});
