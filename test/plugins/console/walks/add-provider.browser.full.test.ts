import { expect } from 'chai';
import { startPlatform, type TestPlatform } from '../../../helpers/platform.ts';
import { startSmtp, type SmtpReceiver } from '../../../helpers/smtp.ts';
import { until } from '../../../helpers/until.ts';
import { browsers, type Hands } from '../hands.ts';

const orb = 'notify.email@1.0.0';
const password = 'Zx9hidden63';

for (const [browser, start] of Object.entries(browsers))
  describe(`a newcomer adds a provider in the browser, by keyboard alone, in ${browser}`, function () {
    this.timeout(180_000);
    let smtp: SmtpReceiver;
    let platform: TestPlatform;
    let hands: Hands;
    before(async function () {
      hands = await start(this);
      smtp = await startSmtp({ auth: { user: 'orb', pass: password } });
      const private_hosts = [{ host: '127.0.0.1', port: smtp.port }];
      platform = await startPlatform({
        platform: {
          providers: { outbox: { adapter: 'email/outbox' }, echo: { adapter: 'echo/local' } },
          plugins: { 'stored-providers': { config: { private_hosts } } },
        },
      });
    });
    after(async () => {
      await hands?.close();
      await platform?.stop();
      await smtp?.close();
    });
    const active = async () =>
      (await platform.call('GET', `/providers/${orb}/status`)).body.active_provider as string | undefined;

    // What the charts draw for the provider.
    const counts = async (): Promise<number> => {
      const { body } = await platform.call('GET', '/stats?step=minute&by=provider');
      const series = body.series.find(({ value }: { value?: string }) => value === 'relay');
      return (series?.points ?? []).reduce((sum: number, { total }: { total: number }) => sum + total, 0) as number;
    };
    let counted = 0;

    it('signs in, and finds the form of the adapter', async () => {
      await hands.open(`${platform.url}/console`);
      await hands.shows('API key');
      await hands.fill('API key', platform.adminKey);
      await hands.press('Enter');
      await hands.shows('First steps');
      await hands.press('g', 'p');
      await hands.shows('All providers');
      await hands.enter('Add a provider');
      await hands.shows('Find an adapter');
      await hands.enter('email/smtp');
      await hands.shows('Add a provider: email/smtp');
    });

    it('enters the settings, reviews them, and adds the provider with the key', async () => {
      await hands.fill('Name', 'relay');
      await hands.fill('Host', '127.0.0.1');
      await hands.fill('Port', String(smtp.port));
      await hands.fill('STARTTLS', 'n');
      await hands.fill('User name', 'orb');
      await hands.fill('Password', password);
      await hands.enter('Review');
      await hands.shows('is kept in the store for all nodes');
      expect(await hands.text()).to.not.include(password);
      await hands.enter('Add provider');
      await hands.shows('Enter your key again');
      await hands.fill('API key', platform.adminKey);
      await hands.press('Enter');
      await hands.shows('relay is in the store');
      expect((await platform.call('GET', '/providers/relay')).body.secrets).to.deep.equal(['/auth/password']);
    });

    it('sends a test, which leaves by it alone', async () => {
      await hands.enter('Open relay');
      await hands.shows('Orbs that it can serve');
      await hands.enter('Send a test');
      await hands.shows('reputation does not count it');
      await hands.fill('to', 'newcomer@example.org');
      await hands.fill('from_address', 'orb@example.org');
      await hands.press('Enter');
      await hands.shows('The test was sent');
      expect(smtp.messages.map(({ to }) => to)).to.deep.equal([['newcomer@example.org']]);
      expect(await active()).to.equal('outbox');
      await hands.press('Escape');
    });

    it('swaps the Orb of e-mail to it', async () => {
      await hands.enter('Swap to it');
      await hands.shows('is tested without an effect');
      // In the dialog, which keeps the focus inside.
      await hands.enter('Swap to it');
      expect(await until(active, (name) => name === 'relay', 'the swap')).to.equal('relay');
      await hands.shows('Try it');
    });

    it('sends a message, and verifies its receipt', async () => {
      counted = await counts();
      await hands.enter('Try it with');
      await hands.shows('The same call');
      await hands.fill('to', 'someone@example.org');
      await hands.fill('from_address', 'orb@example.org');
      await hands.fill('subject', 'hello');
      await hands.fill('body', 'there');
      await hands.tabTo('Test', 'input');
      await hands.press('ArrowDown');
      await hands.enter('Run live');
      await hands.shows('Type “live” to confirm');
      await hands.fill('Type “live” to confirm', 'live');
      await hands.press('Enter');
      await hands.shows('Trust score');
      expect(smtp.messages).to.have.length(2);
      await hands.enter('rec_');
      await hands.shows('VERIFIED');
    });

    it('sees the provider in the charts', async () => {
      await hands.press('g', 'c');
      await hands.shows('Charts');
      await hands.tabTo('Show', 'select');
      // All runs, then by Orb, then by provider.
      await hands.press('ArrowDown', 'ArrowDown');
      await hands.shows('relay');
      expect(await counts()).to.equal(counted + 1);
    });
  });
