import { expect } from 'chai';
import { guideBlocks, readGuide, tableUnder } from '../helpers/guide.ts';
import { startPlatform } from '../helpers/platform.ts';
import { startSmtp } from '../helpers/smtp.ts';
import { until } from '../helpers/until.ts';
import { causes } from '../../plugins/alerts/causes.ts';
import { parseMail } from '../providers/email/mail.ts';

const page = 'plugins/docs/pages/operate/alerts.md';
const [settings, mail] = guideBlocks(page).map(({ code }) => code);

describe('the page on alerts', function () {
  this.timeout(60_000);

  it('has settings whose message arrives as it shows it, although the provider that it is about is down', async () => {
    const smtp = await startSmtp();
    // Nothing listens at the first address.
    const here = (settings ?? '').replace('2525', '1').replace('2526', String(smtp.port));
    const platform = await startPlatform({ platform: JSON.parse(here) as object });
    try {
      const [{ raw }] = (await until(
        () => smtp.messages,
        ({ length }) => length > 0,
        'the message',
      )) as [(typeof smtp.messages)[number]];
      const { headers, text } = parseMail(raw);
      const lines = (mail ?? '').split('\n').filter((line) => line !== '');
      expect(`Subject: ${headers['subject']}`).to.equal(lines[0]);
      expect(text).to.contain((lines[1] ?? '').replace('…', ''));
      expect(headers['to']).to.contain('ada@example.com');
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
