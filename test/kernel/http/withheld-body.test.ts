import { EventEmitter, once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { expect } from 'chai';
import type { Principal } from '../../../kernel/access.ts';
import { createHooks } from '../../../kernel/hooks.ts';
import { defineRoute } from '../../../kernel/http/route/route.ts';
import { startHttp, type Fixture } from './fixture.ts';

const principal: Principal = { id: 'prn_1', key_id: 'key_1', tenant: 'default', scopes: ['*'], mode: 'live' };
const part = 'Content-Disposition: form-data; name="file"; filename="a"\r\nContent-Type: text/plain\r\n\r\na';
const bodies: readonly { readonly form: string; readonly type: string; readonly body: string }[] = [
  { form: 'JSON', type: 'application/json', body: '{"text":"a"}' },
  { form: 'text', type: 'text/plain', body: 'ab' },
  { form: 'a file', type: 'multipart/form-data; boundary=x', body: `--x\r\n${part}\r\n--x--\r\n` },
];

describe('a request whose body is withheld', () => {
  let fixture: Fixture;
  const asking = new EventEmitter();
  let asked: number;
  let acted: number;
  let valid: Principal | undefined;

  beforeEach(async () => {
    [asked, acted, valid] = [0, 0, principal];
    const hooks = createHooks({ failed: () => undefined });
    hooks.taps({ deciding: false }).authenticate.tap('test', () => {
      asked += 1;
      asking.emit('asked');
      return valid;
    });
    const act = defineRoute({
      ...{ method: 'POST', path: '/act', service: 'runtime', scope: 'x', summary: 's', problems: [], status: 204 },
      body: { type: 'object', properties: { text: { type: 'string', maxLength: 10 } } },
      textMember: 'text',
      files: ['file'],
      handle: ({ principal: { scopes } }) => {
        acted += 1;
        expect(scopes).to.deep.equal(valid?.scopes);
      },
    });
    fixture = await startHttp({ hooks, routes: [act] });
  });
  afterEach(() => fixture.http.drain(0));

  async function answerTo(type: string, body: string, between: () => void): Promise<number | undefined> {
    const headers = { authorization: 'Bearer k', 'content-type': type, 'content-length': body.length };
    const call = request(`${fixture.base}/act`, { method: 'POST', headers });
    const seen = once(asking, 'asked');
    call.write(body.slice(0, -1));
    await seen;
    between();
    call.end(body.slice(-1));
    const [answer] = (await once(call, 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode;
  }

  for (const { form: name, type, body } of bodies) {
    it(`of ${name} does not act when its key is revoked before the last byte`, async () => {
      expect(await answerTo(type, body, () => (valid = undefined))).to.equal(401);
      expect(acted).to.equal(0);
    });

    it(`of ${name} acts as the caller is at the last byte`, async () => {
      expect(await answerTo(type, body, () => (valid = { ...principal, scopes: ['x'] }))).to.equal(204);
      expect(acted).to.equal(1);
    });
  }

  it('is refused when its key has lost the scope before the last byte', async () => {
    expect(await answerTo('application/json', '{}', () => (valid = { ...principal, scopes: [] }))).to.equal(403);
    expect(acted).to.equal(0);
  });

  it('costs no second look-up when it is there at once', async () => {
    const headers = { authorization: 'Bearer k', 'content-type': 'application/json' };
    const call = request(`${fixture.base}/act`, { method: 'POST', headers });
    // One write: head and body arrive together.
    call.end('{}');
    const [answer] = (await once(call, 'response')) as [IncomingMessage];
    expect(answer.resume().statusCode).to.equal(204);
    expect(asked).to.equal(1);
  });
});
