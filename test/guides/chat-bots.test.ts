import { expect } from 'chai';
import { guideBlocks } from '../helpers/guide.ts';
import { startPlatform } from '../helpers/platform.ts';
import { startVendor } from '../helpers/vendor.ts';
import type { Double } from '../providers/chat/doubles/bed.ts';
import { botToken as discordToken, discordDouble, webhook } from '../providers/chat/doubles/discord.ts';
import { matrixDouble, token } from '../providers/chat/doubles/matrix.ts';
import { botToken, telegramDouble } from '../providers/chat/doubles/telegram.ts';

const page = 'plugins/docs/pages/operate/chat-bots.md';
const env = {
  MATRIX_TOKEN: token,
  TELEGRAM_TOKEN: botToken,
  DISCORD_TOKEN: discordToken,
  DISCORD_WEBHOOK: `https://discord.com/api/webhooks/${webhook.id}/${webhook.token}`,
};
const doubles: Readonly<Record<string, () => Double>> = {
  'chat/matrix': matrixDouble,
  'chat/telegram': telegramDouble,
  'chat/discord': discordDouble,
};

interface Settings {
  readonly providers: Readonly<Record<string, { readonly adapter: string; readonly config: Config }>>;
}
type Config = Readonly<Record<'channels' | 'webhooks' | 'people', Record<string, unknown> | undefined>>;

describe('the guide to Matrix, Telegram and Discord', function () {
  const shown = guideBlocks(page)
    .filter(({ language }) => language === 'json')
    .flatMap(({ code }) => Object.entries((JSON.parse(code) as Settings).providers));

  it('shows four providers', () => expect(shown).to.have.length(4));

  for (const [name, { adapter, config }] of shown)
    it(`sends with the settings that it shows: ${name}`, async () => {
      const double = doubles[adapter]?.() ?? expect.fail(adapter);
      const vendor = await startVendor(double.contract);
      const provider = { adapter, config: { ...config, base_url: vendor.url } };
      const platform = await startPlatform({
        env,
        platform: { providers: { [name]: provider }, bindings: { 'notify.chat@1.0.0': [name] } },
      });
      try {
        const [channel = ''] = Object.keys({ ...config.channels, ...config.webhooks });
        const inputs = { channel, text: 'Disk full', mentions: Object.keys(config.people ?? {}) };
        const { body, status } = await platform.call('POST', '/orbisets/default/execute', {
          orb_id: 'notify.chat@1.0.0',
          inputs,
        });
        expect(status, JSON.stringify(body)).to.equal(200);
        expect(double.messages.map((text) => text.includes('Disk full'))).to.deep.equal([true]);
      } finally {
        await platform.stop();
        await vendor.close();
      }
    });
});
