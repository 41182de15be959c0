import { expect } from 'chai';
import { startPlatform, type Answer, type TestPlatform } from '../../helpers/platform.ts';
import { startVendor, type VendorServer } from '../../helpers/vendor.ts';
import { createSlack, config, token, type SlackDouble } from './vendors/slack.ts';
import { incomingBed, tokens } from './vendors/webhook.ts';

const orb_id = 'notify.chat@1.0.0';

describe('runs of notify.chat', function () {
  let platform: TestPlatform;
  let double: SlackDouble;
  let slack: VendorServer;
  let webhook: VendorServer;

  before(async () => {
    let count = 0;
    double = createSlack(() => `${Math.floor(Date.now() / 1000)}.${String((count += 1)).padStart(6, '0')}`);
    slack = await startVendor(double.contract);
    const bed = incomingBed('mattermost');
    webhook = await startVendor(bed.contract);
    const orbiset = (id: string, ...providers: string[]): object => ({ id, tenant: 'default', orbs: ['*'], providers });
    platform = await startPlatform({
      env: { SLACK_TOKEN: token, HOOK: `${webhook.url}/hooks/${tokens.mattermost}` },
      platform: {
        providers: {
          webhook: {
            adapter: 'chat/incoming',
            config: { shape: 'mattermost', private: true, channels: { ops: { $env: 'HOOK' } } },
          },
          slack: { adapter: 'chat/slack', config: { ...config(slack.url), bot_token: { $env: 'SLACK_TOKEN' } } },
          outbox: { adapter: 'chat/outbox' },
        },
      },
      data: {
        'orbisets/slack.json': orbiset('slack', 'slack'),
        'orbisets/webhook.json': orbiset('webhook', 'webhook'),
        'orbisets/both.json': orbiset('both', 'webhook', 'slack'),
      },
    });
  });
  after(async () => {
    await platform?.stop();
    await slack?.close();
    await webhook?.close();
  });
  afterEach(() => {
    slack.fault = undefined;
    webhook.fault = undefined;
    double.messages.length = 0;
  });

  const run = async (where: string, given: object = {}, more: object = {}): Promise<Answer> => {
    const inputs = { channel: 'ops', text: 'Disk full', ...given };
    return platform.call('POST', `/orbisets/${where}/execute`, { orb_id, inputs, ...more });
  };
  const attempts = async ({ body }: Answer): Promise<readonly unknown[]> => {
    const receipt = await platform.call('GET', `/receipts/${body.receipt.receipt_id}`);
    const { attempts: all } = receipt.body.statement.predicate.facts;
    return all.map(({ lookup, outcome, provider }: Record<string, string>) =>
      [provider, outcome, lookup].filter((word) => word !== undefined).join(' '),
    );
  };

  it('complete by a look-up when the answer of Slack is lost, with one message', async () => {
    slack.fault = 'lost';
    slack.meets = ({ 'content-type': type }) => type !== undefined;
    const answer = await run('slack');
    slack.meets = undefined;
    expect([answer.status, answer.body.outputs?.message_id]).to.deep.equal([200, double.messages[0]?.ts]);
    expect(await attempts(answer)).to.deep.equal(['slack accepted present']);
    expect(double.messages).to.have.length(1);
  });

  it('end undecided when the answer of a webhook is lost, and post nothing again', async () => {
    webhook.fault = 'lost';
    const before = webhook.taken;
    const answer = await run('both');
    expect([answer.status, answer.body.code]).to.deep.equal([504, 'outcome_unknown']);
    expect(await attempts(answer)).to.deep.equal(['webhook unknown']);
    expect([webhook.taken - before, double.messages.length]).to.deep.equal([1, 0]);
    const again = await run('both', {}, { delivery: 'at_least_once' });
    expect(again.status).to.equal(200);
    expect(await attempts(again)).to.deep.equal(['webhook unknown', 'slack accepted']);
  });

  it('refuse what cannot be sent as it is, before a provider is called', async () => {
    const posts = slack.posts.length;
    const rows = [
      [{ text: 'x'.repeat(4001) }, 'invalid_inputs'],
      [{ text: 'a\r\nb' }, 'invalid_inputs'],
      [{ text: 'a\u0000' }, 'malformed_json'],
      [{ text: 'a\u0085' }, 'invalid_inputs'],
      [{ text: '' }, 'invalid_inputs'],
      [{ title: 'a\nb' }, 'invalid_inputs'],
      [{ overflow: 'split' }, 'invalid_inputs'],
      [{ mentions: Array.from({ length: 11 }, (_, at) => `p${at}`) }, 'invalid_inputs'],
    ] as const;
    for (const [given, code] of rows) {
      const { body, status } = await run('slack', given);
      const expected = [code === 'malformed_json' ? 400 : 422, code];
      expect([status, body.code], JSON.stringify(given).slice(0, 60)).to.deep.equal(expected);
    }
    expect(slack.posts).to.have.length(posts);
  });

  it('take texts to the last character, and keep what would notify people as text', async () => {
    const family = '👩‍👩‍👧‍👦';
    const texts = [
      `${'x'.repeat(3993)}${family}`,
      '👍'.repeat(4000),
      '<!channel> @everyone <@U012AB3CD>',
      'שלום\u200b\u202b',
    ];
    for (const text of texts) {
      const { body, status } = await run('slack', { text });
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(body.outputs).not.to.have.property('truncated');
    }
    expect(double.messages.map(({ text }) => text).reverse()).to.deep.equal([
      texts[0],
      texts[1],
      '&lt;!channel&gt; @everyone &lt;@U012AB3CD&gt;',
      texts[3],
    ]);
  });

  it('say whom they do not know', async () => {
    for (const given of [{ channel: 'C024BE91L' }, { mentions: ['bob'] }, { thread: '$event' }]) {
      const { body, status } = await run('slack', given);
      expect([status, body.code]).to.deep.equal([422, 'provider_rejected']);
    }
  });

  it('of test keys go to the outbox', async () => {
    const key = await platform.key({ name: 'test', scopes: ['orbs:execute'], mode: 'test' });
    const request = { orb_id, inputs: { channel: 'anywhere', text: 'x', mentions: ['anybody'] } };
    const { body, status } = await platform.call('POST', '/orbisets/default/execute', request, key);
    expect([status, body.outputs?.channel]).to.deep.equal([200, 'anywhere']);
  });
});
