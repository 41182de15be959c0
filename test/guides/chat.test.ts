import { expect } from 'chai';
import { compile } from '../../kernel/index.ts';
import { guideBlocks, tableUnder } from '../helpers/guide.ts';
import { startPlatform } from '../helpers/platform.ts';
import { builtin } from '../helpers/shipped.ts';
import { startVendor } from '../helpers/vendor.ts';
import { createSlack, token } from '../providers/chat/vendors/slack.ts';

const page = 'plugins/docs/pages/operate/chat.md';

interface Settings {
  readonly providers: Readonly<Record<string, { readonly adapter: string; readonly config?: object }>>;
}

const settings = guideBlocks(page)
  .filter(({ language }) => language === 'json')
  .map(({ code }) => JSON.parse(code) as Partial<Settings>);

describe('the guide to providers of chat messages', () => {
  it('shows configurations that its adapters take', () => {
    const resolved = JSON.parse(
      JSON.stringify(settings).replaceAll(/\{"\$env":"(\w+)"\}/g, (_, name: string) =>
        name.endsWith('_OPS') ? '"https://example.com/hooks/x"' : '"a-token"',
      ),
    ) as Partial<Settings>[];
    const shown = resolved.flatMap(({ providers = {} }) => Object.values(providers));
    expect(shown.length).to.be.at.least(4);
    for (const { adapter, config = {} } of shown) {
      const found = builtin.adapters.find(({ name }) => name === adapter);
      expect(compile(found?.config ?? {})(config), adapter).to.deep.equal([]);
    }
  });

  it('lists all adapters of the capability', () => {
    const listed = tableUnder(page, 'Providers of chat messages').map(([name = '']) => name.replaceAll('`', ''));
    const shipped = builtin.adapters.map(({ name }) => name).filter((name) => name.startsWith('chat/'));
    expect(listed.sort()).to.deep.equal(shipped.sort());
  });

  it('sends to Slack with the settings and the command that it shows', async () => {
    const double = createSlack();
    const vendor = await startVendor(double.contract);
    const { slack } = settings[0]?.providers ?? {};
    const provider = { ...slack, config: { ...slack?.config, base_url: vendor.url } };
    const platform = await startPlatform({ env: { SLACK_TOKEN: token }, platform: { providers: { slack: provider } } });
    try {
      const commands = guideBlocks(page).filter(({ language }) => language === 'sh');
      const [, orb_id, inputs = ''] =
        /^npx orb run (\S+) '(.+)'$/m.exec(commands.map(({ code }) => code).join('')) ?? [];
      const { body, status } = await platform.call('POST', '/orbisets/default/execute', {
        orb_id,
        inputs: JSON.parse(inputs) as object,
      });
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(double.messages.map(({ channel, text }) => [channel, text])).to.deep.equal([
        ['C024BE91L', '<!subteam^S0614TZR7> Disk full on db-1'],
      ]);
    } finally {
      await platform.stop();
      await vendor.close();
    }
  });
});
