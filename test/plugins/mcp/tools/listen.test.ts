import { expect } from 'chai';
import { eventsOf } from '../../../helpers/sent-data.ts';
import { metaKeys } from '../../../../plugins/mcp/wire/wire.ts';
import { startPlatform, type Answer, type TestPlatform } from '../../../helpers/platform.ts';
import { mcpClient, type McpClient } from '../client.ts';

type Message = Answer['body'];

const manifest = {
  ...{ manifest_version: 1, title: 'T', description: 'D.', capability: 'echo', effect: 'none', action_class: 'read' },
  ...{ inputs_schema: { type: 'object' }, outputs_schema: { type: 'object' }, timeout_ms: 1000 },
};

describe('clients that listen', function () {
  this.timeout(60_000);
  let platform: TestPlatform;
  let client: McpClient;
  beforeEach(async () => {
    platform = await startPlatform({
      platform: { providers: { echo: { adapter: 'echo/local' }, second: { adapter: 'echo/local' } } },
      data: { 'orbisets/small.json': { id: 'small', tenant: 'default', orbs: ['demo.*'] } },
    });
    client = mcpClient(platform);
  });
  afterEach(() => platform.stop());

  const all = { notifications: { toolsListChanged: true, promptsListChanged: true } };

  /** Opens a stream; `next` reads its messages one after the other. */
  async function listen(more: { key?: string; orbiset?: string; params?: object } = {}) {
    const abort = new AbortController();
    const { params = all, ...asking } = more;
    const response = await client.open('subscriptions/listen', params, { ...asking, signal: abort.signal });
    if (!/event-stream/.test(response.headers.get('content-type') ?? ''))
      return { refused: (await response.json()) as Message, next: async () => undefined, close: () => undefined };
    const messages = eventsOf(response.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    return {
      refused: undefined,
      next: async (): Promise<Message> => {
        const { done, value } = await messages.next();
        return done === true ? undefined : JSON.parse(value);
      },
      close: () => abort.abort(),
    };
  }
  const put = (orb_id: string): Promise<Answer> => platform.call('PUT', `/orbs/${orb_id}`, { ...manifest, orb_id });

  it('are told that they listen, to what is served, and then each change of their own list', async () => {
    const stream = await listen();
    const other = await listen({ orbiset: 'small' });
    const first = await stream.next();
    expect(first.method).to.equal('notifications/subscriptions/acknowledged');
    expect(first.params.notifications).to.deep.equal({ toolsListChanged: true });
    expect(first.params._meta).to.have.property(metaKeys.subscription);
    await other.next();
    await put('fresh.one@1.0.0');
    expect((await stream.next()).method).to.equal('notifications/tools/list_changed');
    // A swap changes no tool, and the Orbiset `small` has no Orb `fresh.one`: the next word is of this put.
    await platform.call('POST', '/providers/demo.echo@1.0.0/swap', { provider: 'second' });
    await put('demo.other@1.0.0');
    expect((await other.next()).method).to.equal('notifications/tools/list_changed');
    expect((await stream.next()).method).to.equal('notifications/tools/list_changed');
    stream.close();
    other.close();
  });

  it('that asked for nothing that is served are ended at once, with a result', async () => {
    const stream = await listen({ params: { notifications: { promptsListChanged: true } } });
    expect((await stream.next()).params.notifications).to.deep.equal({});
    expect((await stream.next()).result.resultType).to.equal('complete');
    expect(await stream.next()).to.equal(undefined);
  });

  it('are refused without a filter, and beyond eight of one caller', async () => {
    expect((await listen({ params: {} })).refused?.error.code).to.equal(-32602);
    const streams = [];
    for (let at = 0; at < 8; at += 1) {
      const stream = await listen();
      await stream.next();
      streams.push(stream);
    }
    expect((await listen()).refused?.error.code).to.equal(429);
    for (const { close } of streams) close();
  });

  it('are ended with a result when their key is revoked', async () => {
    const made = (await platform.call('POST', '/keys', { name: 'listener', scopes: ['orbs:execute'] })).body;
    const stream = await listen({ key: made.key });
    await stream.next();
    const gone = await platform.call('DELETE', `/keys/${made.key_id ?? made.id}`);
    expect(gone.status, JSON.stringify(made)).to.be.below(300);
    expect((await stream.next()).result.resultType).to.equal('complete');
  });

  it('are ended with a result when the server shuts down, which they do not delay', async () => {
    const stream = await listen();
    await stream.next();
    const stopped = platform.kernel.stop();
    expect((await stream.next()).result.resultType).to.equal('complete');
    await stopped;
    platform = await startPlatform();
  });

  /** Opens the stream of a revision with a handshake; `next` reads its parts: each an event, or a comment. */
  async function follow(more: { key?: string; era?: string; last?: string; orbiset?: string } = {}) {
    const abort = new AbortController();
    const { key = platform.adminKey, era = '2025-11-25', last, orbiset = 'default' } = more;
    const response = await fetch(`${platform.url}/orbisets/${orbiset}/mcp`, {
      headers: {
        ...{ accept: 'text/event-stream', authorization: `Bearer ${key}` },
        ...(era === '' ? {} : { 'mcp-protocol-version': era }),
        ...(last === undefined ? {} : { 'last-event-id': last }),
      },
      signal: abort.signal,
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    return {
      response,
      close: () => abort.abort(),
      async next(): Promise<string | undefined> {
        for (;;) {
          const end = text.indexOf('\n\n');
          const part = text.slice(0, end);
          if (end >= 0) {
            text = text.slice(end + 2);
            return part;
          }
          const read = await reader?.read();
          if (read?.done !== false) return undefined;
          text += read.value;
        }
      },
    };
  }
  const changed = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';
  const idOf = (part: string | undefined): string =>
    /^id: (.+)$/m.exec(part ?? '')?.[1] ?? expect.fail(`no id: ${part}`);

  it('before 2026-07-28 are told of changes by a GET; one that connects again is told of those in between', async () => {
    const initialized = await client.ask('initialize', { protocolVersion: '2025-11-25' }, { era: '2025-11-25' });
    expect(initialized.body.result.capabilities.tools).to.deep.equal({ listChanged: true });
    const stream = await follow();
    expect(stream.response.headers.get('content-type')).to.match(/^text\/event-stream/);
    const first = await stream.next();
    expect(first).to.match(/^id: .+\ndata:$/);
    await put('fresh.one@1.0.0');
    const second = await stream.next();
    expect(second).to.equal(`event: message\nid: ${idOf(second)}\ndata: ${changed}`);
    stream.close();
    const idle = await follow({ last: idOf(second) });
    expect(idOf(await idle.next())).to.equal(idOf(second));
    await put('fresh.two@1.0.0');
    expect(await idle.next()).to.contain(changed);
    idle.close();
    const late = await follow({ last: idOf(second) });
    await late.next();
    expect(await late.next(), 'it missed fresh.two').to.contain(changed);
    late.close();
  });

  it('of 2025-06-18 get a comment first: they would read an event without a message as a broken one', async () => {
    const stream = await follow({ era: '2025-06-18' });
    expect(await stream.next()).to.equal(': open');
    await put('fresh.one@1.0.0');
    expect(await stream.next()).to.contain(changed);
    stream.close();
  });

  for (const [era, status] of [
    ['', 405],
    ['2026-07-28', 405],
    ['2031-01-01', 405],
  ] as const)
    it(`that name ${era || 'no revision'} have no GET: ${status}`, async () => {
      const { response } = await follow({ era });
      expect([response.status, response.headers.get('allow')]).to.deep.equal([status, 'OPTIONS, POST']);
    });

  it('by GET need a key that may execute something, and an Orbiset', async () => {
    const reader = await platform.key({ name: 'reader', scopes: ['orbs:read'] });
    expect((await follow({ key: reader })).response.status).to.equal(403);
    expect((await follow({ key: 'orb_test_none' })).response.status).to.equal(401);
    expect((await follow({ orbiset: 'none' })).response.status).to.equal(404);
  });

  it('by GET are ended when their key is revoked, and are 64 at most of one caller', async () => {
    const made = (await platform.call('POST', '/keys', { name: 'listener', scopes: ['orbs:execute'] })).body;
    const streams = [];
    for (let at = 0; at < 64; at += 1) streams.push(await follow({ key: made.key }));
    const { response } = await follow({ key: made.key });
    expect([response.status, response.headers.has('retry-after')]).to.deep.equal([429, true]);
    await platform.call('DELETE', `/keys/${made.key_id ?? made.id}`);
    for (const { next } of streams) {
      await next();
      expect(await next()).to.equal(undefined);
    }
  });
});
