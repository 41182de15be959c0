import { mock } from 'node:test';
import { WebClient, type WebAPIPlatformError } from '@slack/web-api';
import { expect } from 'chai';
import type { ProviderHandle } from '../../../kernel/adapter.ts';
import { compile } from '../../../kernel/index.ts';
import { silentLog } from '../../../kernel/tools/log.ts';
import slack from '../../../providers/chat/slack.ts';
import { testKey } from '../../helpers/conformance.ts';
import { startVendor, type VendorServer } from '../../helpers/vendor.ts';
import { failure, noSignal } from '../email/smtp-bed.ts';
import { config, createSlack, slackBed, token, type SlackDouble } from './vendors/slack.ts';
import { chatSuite, inputs, send } from './vendors/suite.ts';

describe('chat/slack', () => {
  chatSuite(slackBed);

  let double: SlackDouble;
  let vendor: VendorServer;
  const handles: ProviderHandle[] = [];
  beforeEach(async () => {
    let count = 0;
    double = createSlack(() => `${Math.floor(Date.now() / 1000)}.${String((count += 1)).padStart(6, '0')}`);
    vendor = await startVendor(double.contract);
  });
  afterEach(async () => {
    mock.timers.reset();
    for (const handle of handles.splice(0)) await handle.close?.();
    await vendor.close();
  });
  const open = async (more: object = {}): Promise<ProviderHandle> => {
    const filled = { ...config(vendor.url), ...more };
    expect(compile(slack.config)(filled)).to.deep.equal([]);
    const scope = { config: filled as never, signal: noSignal(), stateDir: '/nowhere', log: silentLog };
    const handle = await slack.open(scope);
    handles.push(handle);
    return handle;
  };
  const posted = (): Record<string, unknown> =>
    JSON.parse(vendor.posts.at(-1)?.body.toString() ?? '{}') as Record<string, unknown>;

  it('sends a plain text without markup, a Markdown text with it', async () => {
    const handle = await open();
    await send(handle, { given: { ...inputs, title: 'T', text: '*a* & <!channel>' } });
    expect(posted()).to.deep.equal({
      channel: 'C024BE91L',
      text: 'T\n*a* &amp; &lt;!channel&gt;',
      mrkdwn: false,
      unfurl_links: false,
      unfurl_media: false,
      parse: 'none',
      link_names: false,
      metadata: { event_type: 'orb_run', event_payload: { key: testKey('c') } },
    });
    await send(handle, { given: { ...inputs, text: '**a**', format: 'markdown', link_preview: true } });
    expect(posted()).to.include({ text: '*a*', mrkdwn: true, unfurl_links: true, unfurl_media: true });
  });

  it('notifies whom the caller names, in the form of Slack', async () => {
    await send(await open(), { given: { ...inputs, mentions: ['ada', 'oncall', 'everyone'] } });
    expect(posted()).to.include({ text: '<@U012AB3CD> <!subteam^S0614TZR7> <!channel> Disk full', mrkdwn: true });
  });

  it('answers in a thread', async () => {
    const handle = await open();
    const first = await send(handle);
    const answer = await send(handle, { given: { ...inputs, thread: first['thread'] }, key: 'd' });
    expect(answer['thread']).to.equal(first['message_id']);
    expect(answer['message_id']).not.to.equal(first['message_id']);
    expect(posted()['thread_ts']).to.equal(first['message_id']);
    const error = await failure(send(handle, { given: { ...inputs, thread: '$event:matrix.org' } }));
    expect(error.outcome).to.equal('rejected');
  });

  it('takes ids of channels only when the settings allow it', async () => {
    expect((await failure(send(await open(), { given: { ...inputs, channel: 'G0THER' } }))).reason).to.equal(
      'recipient_unknown',
    );
    const outputs = await send(await open({ open_channels: true }), { given: { ...inputs, channel: 'G0THER' } });
    expect(outputs['channel']).to.equal('G0THER');
  });

  it('cuts a text that Slack would cut, or refuses it', async () => {
    const handle = await open();
    const text = `${'x'.repeat(39_998)}👩‍👩‍👧‍👦`;
    expect((await failure(send(handle, { given: { ...inputs, text } }))).reason).to.equal('content_too_long');
    const outputs = await send(handle, { given: { ...inputs, text, overflow: 'truncate' } });
    expect(outputs['truncated']).to.equal(true);
    expect(double.messages[0]?.text).to.equal(`${'x'.repeat(39_998)}…`);
    expect(await handle.lookup?.(testKey('c'), noSignal())).to.deep.equal(outputs);
  });

  describe('when an answer is lost', () => {
    const lose = async (handle: ProviderHandle, given: object = inputs): Promise<void> => {
      vendor.fault = 'lost';
      expect((await failure(send(handle, { given }))).outcome).to.equal('unknown');
      vendor.fault = undefined;
    };
    const lookup = (handle: ProviderHandle) => handle.lookup?.(testKey('c'), noSignal());

    it('finds the message, also in a thread and after a restart', async () => {
      const handle = await open();
      await lose(handle);
      const { ts = '' } = double.messages[0] ?? {};
      const outputs = { message_id: ts, channel: 'C024BE91L', thread: ts, delivery: 'posted' };
      expect(await lookup(handle)).to.deep.equal(outputs);
      expect(await lookup(await open())).to.deep.equal(outputs);

      double.messages.length = 0;
      await lose(handle, { ...inputs, channel: 'sales', thread: '1700000000.000001' });
      expect(await lookup(handle)).to.include({ channel: 'G0THER', thread: '1700000000.000001' });
      // History has no threads: after a restart it cannot be known.
      expect((await failure(lookup(await open()))).outcome).to.equal('unknown');
    });

    it('reads page after page, and as many as it must', async () => {
      const handle = await open();
      await lose(handle);
      const others = (count: number): void => {
        const message = { channel: 'C024BE91L', ts: `${Math.floor(Date.now() / 1000)}.900000`, text: 'x' };
        double.messages.unshift(...Array.from({ length: count }, () => message));
      };
      others(500);
      expect(await lookup(handle)).to.have.property('message_id');
      others(2000);
      expect((await failure(lookup(handle))).outcome).to.equal('unknown');
    });

    it('believes that there is none only when no request can be under way any more', async () => {
      mock.timers.enable({ apis: ['Date'], now: Date.now() });
      const handle = await open();
      await lose(handle);
      double.messages.length = 0;
      expect((await failure(lookup(handle))).outcome).to.equal('unknown');
      mock.timers.setTime(Date.now() + 61_000);
      expect(await lookup(handle)).to.equal(undefined);
      expect(await lookup(handle)).to.equal(undefined);
    });

    it('knows nothing when Slack does not say', async () => {
      const handle = await open();
      await lose(handle);
      for (const [error, outcome] of [
        ['missing_scope', 'provider_fault'],
        ['ratelimited', 'throttled'],
        ['thread_not_found', 'unknown'],
      ]) {
        vendor.fault = { status: 200, body: { ok: false, error } };
        expect((await failure(lookup(handle))).outcome).to.equal(outcome);
      }
      vendor.fault = { status: 200, body: { ok: true } };
      expect((await failure(lookup(handle))).outcome).to.equal('unknown');
    });
  });

  it('proves its token without a message', async () => {
    await (await open()).probe?.(noSignal());
    expect(vendor.posts).to.deep.equal([]);
    const wrong = await open({ bot_token: 'xoxb-wrong' });
    expect((await failure(wrong.probe?.(noSignal()))).outcome).to.equal('provider_fault');
    for (const [status, outcome] of [
      [500, 'unknown'],
      [429, 'throttled'],
    ] as const) {
      vendor.fault = { status };
      expect((await failure((await open()).probe?.(noSignal()))).outcome).to.equal(outcome);
    }
  });

  it('talks to a double that Slack’s own client can use', async () => {
    const client = new WebClient(token, { slackApiUrl: `${vendor.url}/api/`, retryConfig: { retries: 0 } });
    expect(await client.auth.test()).to.include({ ok: true, team_id: 'T0001' });
    const handle = await open();
    const { message_id } = await send(handle);
    const history = await client.conversations.history({ channel: 'C024BE91L', include_all_metadata: true, limit: 10 });
    const metadata = { event_type: 'orb_run', event_payload: { key: testKey('c') } };
    expect(history.messages?.map(({ ts, metadata: found }) => [ts, found])).to.deep.equal([[message_id, metadata]]);

    const other = { event_type: 'orb_run', event_payload: { key: testKey('e') } };
    const { ts } = await client.chat.postMessage({ channel: 'C024BE91L', text: 'hello', metadata: other });
    expect(await handle.lookup?.(testKey('e'), noSignal())).to.include({ message_id: ts });
    const refused = await client.chat.postMessage({ channel: 'C404', text: 'x' }).catch((error: unknown) => error);
    expect((refused as WebAPIPlatformError).data.error).to.equal('channel_not_found');
  });
});
