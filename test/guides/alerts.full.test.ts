import { expect } from 'chai';
import { guideBlocks, readGuide, tableUnder } from '../helpers/guide.ts';
import { startPlatform } from '../helpers/platform.ts';
import { startSmtp } from '../helpers/smtp.ts';
import { until } from '../helpers/until.ts';
import { startVendor } from '../helpers/vendor.ts';
import { causes } from '../../plugins/alerts/causes.ts';
import { createSlack, token } from '../providers/chat/vendors/slack.ts';
import { parseMail } from '../providers/email/mail.ts';

const page = 'plugins/docs/pages/operate/alerts.md';
const [slackSettings = '', shown = '', mailSettings = ''] = guideBlocks(page).map(({ code }) => code);

describe('the page on alerts', function () {
  this.timeout(60_000);

  it('has settings by which Slack shows that a provider is down', async () => {
    const slack = createSlack();
    const vendor = await startVendor(slack.contract);
    const settings = slackSettings
      .replace('{ "$env": "SLACK_TOKEN" }', `{ "$env": "SLACK_TOKEN" }, "base_url": "${vendor.url}"`)
      // Nothing listens there.
      .replace('"mail.example.com", "port": 587', '"127.0.0.1", "port": 1');
    const env = { SLACK_TOKEN: token };
    const platform = await startPlatform({ platform: JSON.parse(settings) as object, env });
    try {
      const [message] = await until(
        () => slack.messages,
        ({ length }) => length > 0,
        'the message',
      );
      expect(message?.channel).to.equal('C024BE91L');
      const [title, text = ''] = shown.trimEnd().split('\n');
      const [first, second, url] = message?.text.split('\n') ?? [];
      expect(first).to.equal(title);
      expect(second?.startsWith(text.replace('…', '')), second).to.equal(true);
      expect(url).to.equal(`${platform.url.replace(/:\d+$/, ':0')}/console/providers?provider=smtp-main`);
      expect(slack.messages).to.have.length(1);
    } finally {
      await platform.stop();
      await vendor.close();
    }
  });

  it('has settings by which an e-mail arrives, although the provider that it is about would send it first', async () => {
    const smtp = await startSmtp();
    const settings = mailSettings.replace('2525', '1').replace('2526', String(smtp.port));
    const platform = await startPlatform({ platform: JSON.parse(settings) as object });
    try {
      const [message] = await until(
        () => smtp.messages,
        ({ length }) => length > 0,
        'the message',
      );
      const { headers, text } = parseMail(message?.raw ?? Buffer.alloc(0));
      expect(headers['subject']).to.equal('Provider down: smtp-main');
      expect(headers['to']).to.contain('ada@example.com');
      expect(text).to.match(/^Provider smtp-main is down: .+\r\n\r\nhttp/);
    } finally {
      await platform.stop();
      await smtp.close();
    }
  });

  it('names every cause and every word', () => {
    const [first = ''] = tableUnder(page, 'Settings of an alert').map(([name]) => name);
    expect(first).to.equal('`when`');
    const text = readGuide(page);
    for (const when of causes) expect(text, when).to.contain(`\`${when}\``);
    for (const word of ['subject', 'summary', 'count', 'url']) expect(text).to.contain(`| \`{${word}}\` |`);
  });
});
