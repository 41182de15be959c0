import { expect } from 'chai';
import { eventsOf } from '../../../../plugins/mcp/clients/events.ts';
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
});
