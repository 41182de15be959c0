import { expect } from 'chai';
import { startVendor, type VendorServer } from '../../helpers/vendor.ts';
import { testKey } from '../../helpers/conformance.ts';
import { failure } from '../email/smtp-bed.ts';
import { lastBody, opened } from './doubles/bed.ts';
import { discordBed, discordDouble, webhook, webhookBed } from './doubles/discord.ts';
import { doubleSuite } from './doubles/suite.ts';
import { chatSuite, inputs, send } from './vendors/suite.ts';

describe('chat/discord', () => {
  describe('as a bot', () => {
    chatSuite(discordBed);
    doubleSuite(discordBed);
  });
  describe('by a webhook', () => {
    chatSuite(webhookBed);
    doubleSuite(webhookBed);
  });

  let vendor: VendorServer;
  let close: (() => unknown)[];
  beforeEach(async () => {
    vendor = await startVendor(discordDouble().contract);
    close = [];
  });
  afterEach(async () => {
    for (const one of close) await one();
    await vendor.close();
  });
  const open = async (more: object = {}, bed = discordBed) => {
    const handle = await opened(bed.adapter, { ...bed.config(vendor.url), ...more });
    close.push(() => handle.close?.());
    return handle;
  };

  it('declares a window for the bot, and none once there is a webhook', () => {
    const { adapter } = discordBed;
    expect(adapter.idempotency).to.deep.equal({ kind: 'native', window_s: 60, max_len: 52 });
    const of = (webhooks: object) => adapter.idempotencyOf?.({ webhooks } as never);
    expect([of({}), of({ ops: 'x' })]).to.deep.equal([undefined, { kind: 'none' }]);
  });

  it('sends the first 25 characters of the key as enforced nonce', async () => {
    await send(await open());
    const nonce = testKey('c').slice(0, 25);
    expect(lastBody(vendor)).to.deep.include({ nonce, enforce_nonce: true });
  });

  it('lets the text notify nobody, and its mentions those they name', async () => {
    await send(await open(), { given: { ...inputs, text: '@everyone <@80351110224678912> @here' } });
    expect(lastBody(vendor)['allowed_mentions']).to.deep.equal({ parse: [], users: [], roles: [] });
    const people = { ada: '80351110224678912', team: '&165511591545143296', all: 'everyone' };
    const handle = await open({ people });
    await send(handle, { given: { ...inputs, mentions: ['ada', 'team'] }, key: 'd' });
    expect(lastBody(vendor)).to.deep.include({
      content: '<@80351110224678912> <@&165511591545143296> Disk full',
      allowed_mentions: { parse: [], users: ['80351110224678912'], roles: ['165511591545143296'] },
    });
    await send(handle, { given: { ...inputs, mentions: ['all'] }, key: 'e' });
    expect(lastBody(vendor)['allowed_mentions']).to.deep.equal({ parse: ['everyone'], users: [], roles: [] });
  });

  it('answers a message as a bot, and posts into a thread by a webhook', async () => {
    const bot = await open();
    const { thread } = await send(bot);
    expect(await send(bot, { given: { ...inputs, thread }, key: 'd' })).to.include({ thread });
    expect(lastBody(vendor)['message_reference']).to.deep.equal({ message_id: thread });
    const hook = await open({}, webhookBed);
    const outputs = await send(hook, { given: { ...inputs, thread: '4444' } });
    expect(outputs).to.include({ channel: '4444', thread: '4444' });
    expect(vendor.posts.at(-1)?.path).to.match(/\?wait=true&thread_id=4444$/);
    expect((await failure(send(hook, { given: { ...inputs, thread: '4&x=1' } }))).outcome).to.equal('rejected');
  });

  it('shows previews of links only if the caller wants them', async () => {
    const handle = await open();
    await send(handle);
    expect(lastBody(vendor)['flags']).to.equal(4);
    await send(handle, { given: { ...inputs, link_preview: true }, key: 'd' });
    expect(lastBody(vendor)).to.not.have.property('flags');
  });

  it('refuses more than 2,000 characters, or cuts them off with their markup whole', async () => {
    const handle = await open();
    const post = (text: string, more: object = {}) => send(handle, { given: { ...inputs, text, ...more }, key: text });
    await post('a'.repeat(2000));
    expect((await failure(post('😀'.repeat(1001)))).reason).to.equal('content_too_long');
    const outputs = await post(`**${'b'.repeat(3000)}**`, { format: 'markdown', overflow: 'truncate' });
    expect(outputs['truncated']).to.equal(true);
    expect(lastBody(vendor)['content']).to.match(/^\*\*b{1995}…\*\*$/);
  });

  describe('keeps back calls to a channel whose limit is used up', () => {
    const limited = (headers: Record<string, string>) => ({ ...discordBed.success, headers });

    it('until it is reset, and no others', async () => {
      const other = '881234567890123457';
      const handle = await open({ channels: { ops: '881234567890123456', dev: other } });
      vendor.fault = limited({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': '41.2' });
      await send(handle);
      const error = await failure(send(handle));
      expect([error.outcome, error.phase]).to.deep.equal(['throttled', 'limit']);
      expect(error.retry_after).to.be.within(30, 42);
      await send(handle, { given: { ...inputs, channel: 'dev' } });
      expect(vendor.posts).to.have.length(2);
      vendor.fault = undefined;
      const { now } = performance;
      performance.now = () => now.call(performance) + 42_000;
      try {
        await send(handle);
      } finally {
        performance.now = now;
      }
      expect(vendor.posts).to.have.length(3);
    });

    for (const headers of [
      { 'x-ratelimit-remaining': '1', 'x-ratelimit-reset-after': '41.2' },
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': 'soon' },
      { 'x-ratelimit-remaining': '0' },
    ])
      it(`but not for ${JSON.stringify(headers)}`, async () => {
        const handle = await open();
        vendor.fault = limited(headers);
        await send(handle);
        await send(handle);
        expect(vendor.posts).to.have.length(2);
      });
  });

  it('waits for a message to be kept, when it posts by a webhook', async () => {
    await send(await open({}, webhookBed));
    expect(vendor.posts[0]?.path).to.equal(`/api/v10/webhooks/${webhook.id}/${webhook.token}?wait=true`);
    expect(vendor.posts[0]?.headers).to.not.have.property('authorization');
  });

  for (const [name, more] of [
    ['nowhere', { bot_token: undefined, channels: {}, webhooks: {} }],
    ['channels', { bot_token: undefined }],
    ['channels of callers', { bot_token: undefined, channels: {}, open_channels: true }],
  ] as const)
    it(`opens with no configuration that leads without a token to ${name}`, async () => {
      const error = await failure(open(more));
      expect([error.outcome, error.phase]).to.deep.equal(['provider_fault', 'open']);
      expect(error.remedy).to.include('`bot_token`');
    });
});
