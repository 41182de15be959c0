import { expect } from 'chai';
import { guideBlocks } from '../helpers/guide.ts';
import { startPlatform } from '../helpers/platform.ts';
import { until } from '../helpers/until.ts';
import { closedPort, startVendor } from '../helpers/vendor.ts';
import { createSlack, token } from '../providers/chat/vendors/slack.ts';

const page = 'plugins/docs/pages/operate/chat.md';

const settingsUnder = (title: string): object => {
  const { code = '{}' } =
    guideBlocks(page).find(({ heading, language }) => heading === title && language === 'json') ?? {};
  return JSON.parse(code) as object;
};

describe('the guide to alerts in Slack', function () {
  this.timeout(60_000);

  it('has settings by which Slack is told that a provider is down', async () => {
    const double = createSlack();
    const vendor = await startVendor(double.contract);
    const { providers } = settingsUnder('Send to Slack') as { providers: { slack: { config: object } } };
    const slack = { ...providers.slack, config: { ...providers.slack.config, base_url: vendor.url } };
    const config = { host: '127.0.0.1', port: await closedPort(), starttls: 'never' };
    const platform = await startPlatform({
      env: { SLACK_TOKEN: token },
      platform: {
        providers: { slack, 'smtp-main': { adapter: 'email/smtp', config } },
        ...settingsUnder('Tell Slack when a provider is down'),
      },
    });
    try {
      const [message] = await until(
        () => double.messages,
        ({ length }) => length > 0,
        'the message',
      );
      expect(message?.channel).to.equal('C024BE91L');
      expect(message?.text).to.match(
        /^\*Provider down: smtp-main\*\n<!subteam\^S0614TZR7> Provider smtp-main is down: /,
      );
    } finally {
      await platform.stop();
      await vendor.close();
    }
  });
});
