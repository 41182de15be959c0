import { expect } from 'chai';
import { each } from '../../helpers/each.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { storedBytes } from '../../helpers/stored.ts';
import { closedPort, startVendor, type VendorFault, type VendorServer } from '../../helpers/vendor.ts';
import { readOrFollow } from '../../helpers/read-or-follow.ts';
import { webhook, webhookBed } from './doubles/discord.ts';
import { matrixBed } from './doubles/matrix.ts';
import { botToken, telegramBed } from './doubles/telegram.ts';
import { slackBed, token } from './vendors/slack.ts';
import { incomingBed, teamsBed, tokens } from './vendors/webhook.ts';

const beds = {
  ...{ slack: slackBed, webhook: incomingBed('slack'), mattermost: incomingBed('mattermost'), teams: teamsBed },
  ...{ telegram: telegramBed, discord: webhookBed, matrix: matrixBed },
};
const names = Object.keys(beds) as (keyof typeof beds)[];
const secrets = [token, tokens.slack, tokens.mattermost, tokens.teams, botToken, webhook.token, ...matrixBed.secrets];
// The vendor repeats what it was sent.
const echo = secrets.join(' ');
const faults: readonly (VendorFault | undefined)[] = [
  undefined,
  ...[200, 302, 400, 401, 403, 404, 413, 429, 500].flatMap((status) => [
    { status, headers: { location: `https://example.com/${encodeURI(tokens.slack)}` }, body: echo },
    { status, body: { ok: false, error: echo } },
  ]),
  'reset',
  'lost',
];

describe('the secrets of chat providers', function () {
  this.timeout(60_000);
  let platform: TestPlatform;
  const vendors: VendorServer[] = [];
  const logged: string[] = [];
  const texts: string[] = [];

  before(async () => {
    const env: Record<string, string> = {};
    const providers: Record<string, object> = {};
    const away = `http://127.0.0.1:${await closedPort()}`;
    for (const name of names) {
      const vendor = await startVendor(beds[name].contract);
      vendors.push(vendor);
      for (const [place, url] of Object.entries({ here: vendor.url, away }))
        providers[`${name}-${place}`] = {
          adapter: beds[name].adapter.name,
          config: withReferences(beds[name].config(url), env),
        };
    }
    platform = await startPlatform({
      env,
      onLog: (line) => logged.push(line),
      platform: { providers, bindings: { 'notify.chat@1.0.0': Object.keys(providers) } },
      data: Object.fromEntries(
        Object.keys(providers).map((id) => [
          `orbisets/${id}.json`,
          { id, tenant: 'default', orbs: ['*'], providers: [id] },
        ]),
      ),
    });
    const run = async (provider: string): Promise<void> => {
      const request = { orb_id: 'notify.chat@1.0.0', inputs: { channel: 'ops', text: 'Disk full' } };
      const { body, headers, status } = await platform.call('POST', `/orbisets/${provider}/execute`, request);
      texts.push(`${status} ${JSON.stringify(body)} ${JSON.stringify([...headers])}`);
    };
    for (const [index, name] of names.entries()) {
      for (const fault of faults) {
        const vendor = vendors[index];
        if (vendor !== undefined) vendor.fault = fault;
        await run(`${name}-here`);
      }
      await run(`${name}-away`);
    }
  });
  after(async () => {
    await platform?.stop();
    for (const vendor of vendors) await vendor.close();
  });

  const expectNone = (text: string, where: string): void => {
    for (const secret of secrets)
      for (const form of [secret, encodeURIComponent(secret), encodeURI(secret), secret.slice(-16)])
        expect(text.includes(form), `${form.slice(0, 12)}… in ${where}`).to.equal(false);
  };

  it('are in no answer and no log line', () => {
    expect(texts).to.have.length(names.length * (faults.length + 1));
    expect(texts.filter((text) => text.startsWith('200'))).to.have.length.greaterThan(names.length - 1);
    texts.forEach((text) => expectNone(text, text));
    expect(logged.join('\n')).to.include('run_');
    expectNone(logged.join('\n'), 'the log');
  });

  it('are in nothing that can be read by the API, and in no page', async () => {
    const { paths } = (await platform.call('GET', '/openapi.json')).body as { readonly paths: Record<string, object> };
    const [run] = (await platform.call('GET', '/runs?limit=1')).body.runs as readonly Record<string, string>[];
    const [receipt] = (await platform.call('GET', '/receipts?limit=1')).body.receipts as readonly Record<
      string,
      string
    >[];
    const known: Record<string, string> = { ...receipt, ...run, id: 'default', orb_id: 'notify.chat@1.0.0' };
    const readable = Object.entries(paths).flatMap(([path, methods]) => {
      const filled = path.replace(/\{(\w+)\}/g, (whole, name: string) => encodeURIComponent(known[name] ?? whole));
      return 'get' in methods && !filled.includes('%7B') ? [filled] : [];
    });
    const pages = ['/docs/providers', '/docs/providers/chat-incoming', '/console'];
    const read: string[] = [];
    await each([...readable, ...pages], async (path) => {
      const text = await readOrFollow(platform.url + path, platform.adminKey);
      if (text !== '') read.push(path);
      expectNone(text, path);
    });
    expect(read).to.include.members(['/runs', '/receipts', '/metrics', '/traces', '/providers', ...pages]);
    for (const { receipt_id } of (await platform.call('GET', '/receipts?limit=100')).body.receipts) {
      const { body } = await platform.call('GET', `/receipts/${receipt_id}`);
      expectNone(JSON.stringify(body) + Buffer.from(body.envelope.payload as string, 'base64').toString(), 'a receipt');
    }
  });

  it('are in nothing that is stored', async () => {
    expectNone((await storedBytes(platform.home)).toString('latin1'), 'the store');
  });
});

// Settings of the beds with their secrets in variables.
function withReferences(config: object, env: Record<string, string>): object {
  const shown = (value: unknown, isSecret: boolean): unknown => {
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shown(one, isSecret)]));
    if (!isSecret) return value;
    const name = `CHAT_${Object.keys(env).length}`;
    env[name] = String(value);
    return { $env: name };
  };
  const isSecret = (name: string, value: unknown): boolean =>
    ['bot_token', 'access_token', 'webhooks'].includes(name) ||
    (name === 'channels' && JSON.stringify(value).includes('http'));
  return Object.fromEntries(Object.entries(config).map(([name, value]) => [name, shown(value, isSecret(name, value))]));
}
