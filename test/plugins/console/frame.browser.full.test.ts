import { expect } from 'chai';
import { until } from '../../helpers/until.ts';
import { openWindow, signIn, startConsole, type ConsoleSite, type ConsoleWindow } from './helpers.ts';

describe('the frame of the console', function () {
  this.timeout(120_000);
  let site: ConsoleSite;
  let shown: ConsoleWindow | undefined;
  before(async function () {
    site = await startConsole(this, { platform: { site: { name: 'Acme Orbs', accent: '#ffe000' } } });
  });
  afterEach(async () => {
    await shown?.close();
    shown = undefined;
  });
  after(() => site?.close());

  const makeLink = async (): Promise<string> =>
    String((await site.platform.call('POST', '/console/links')).body.url).split('#link=')[1] ?? '';

  it('signs in by a key, by keyboard alone, after it refused a wrong one', async () => {
    const { platform, browser } = site;
    shown = await openWindow(platform, browser);
    const { page } = shown;
    await page.goto(`${platform.url}/console/runs?status=failed`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await shown.check('sign-in');
    await page.getByLabel('API key').focus();
    await page.keyboard.type('orb_live_wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('unauthenticated').waitFor();
    await page.keyboard.type(platform.adminKey);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
    expect(new URL(page.url()).search).to.equal('?status=failed');
    expect(await page.title()).to.equal('Runs · Acme Orbs');
    await page.getByRole('button', { name: 'Sign out' }).press('Enter');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('signs in by a link, only after it named the key and asked', async () => {
    const { platform, browser } = site;
    shown = await openWindow(platform, browser);
    const { page } = shown;
    await page.goto(`${platform.url}/console#link=${await makeLink()}`);
    await page.getByText('signs this browser in with the key admin').waitFor();
    expect(page.url()).not.to.contain('link=');
    await shown.check('link');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByLabel('API key').waitFor();
    await page.goto('about:blank');
    await page.goto(`${platform.url}/console#link=${await makeLink()}`);
    await page.getByRole('button', { name: 'Sign in as admin' }).press('Enter');
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
    await page.goto('about:blank');
    await page.goto(`${platform.url}/console#link=used-up-already`);
    await page.getByText('A link works once, within one minute').waitFor();
  });

  it('shows the tabs that the key may see, and says what a screen needs', async () => {
    const key = await site.platform.key({ name: 'reader', scopes: ['stats:read'] });
    shown = await site.open('', key);
    const { page } = shown;
    const tabs = await page.getByRole('navigation', { name: 'Console' }).first().getByRole('link').allTextContents();
    expect(tabs).to.include('Home').and.not.to.include('Runs');
    await shown.go('/runs');
    await page.getByText('It needs the scope runs:read').waitFor();
    await shown.go('/no/such/screen');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await shown.check('no-such-page');
  });

  it('goes by keys: g and a letter, / and an id, ? for help; the focus follows', async () => {
    shown = await site.open();
    const { page } = shown;
    const request = { orb_id: 'demo.echo@1.0.0', inputs: { text: 'hello' } };
    const { body } = await site.platform.call('POST', '/orbisets/default/execute', request);
    // The focus follows just after the heading is there.
    const focuses = (text: string) =>
      until<string>(
        () => page.evaluate('document.activeElement.textContent'),
        (focused) => focused === text,
        `the focus on ${text}`,
      );
    await shown.keys('g', 'r');
    await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
    await focuses('Runs');
    await shown.keys('/');
    await page.keyboard.type(String(body.run_id));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Run: demo.echo@1.0.0' }).waitFor();
    await page.getByRole('button', { name: `Copy ${String(body.run_id)}` }).waitFor();
    await focuses('Run: demo.echo@1.0.0');
    await page.goBack();
    await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
    await shown.keys('?');
    await page.getByRole('dialog').getByText('Switch times between UTC and local').waitFor();
    await shown.check('help');
    await shown.keys('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(shown.faults).to.deep.equal([]);
  });

  it('leads a phone through its menu, and skips to the content', async () => {
    shown = await site.open();
    const { page } = shown;
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByText('Menu').press('Enter');
    await page.getByRole('navigation').getByRole('link', { name: 'Runs' }).click();
    await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
    expect(await page.locator('.menu[open]').count()).to.equal(0);
    await page.getByRole('link', { name: 'Skip to content' }).press('Enter');
    expect(await page.evaluate('document.activeElement.id')).to.equal('main');
  });

  it('asks to sign in again as soon as the key is revoked, says why, and goes on where it was', async () => {
    const { platform } = site;
    const made = (await platform.call('POST', '/keys', { name: 'short', scopes: ['runs:read'] })).body;
    shown = await site.open('/runs', made.key);
    const { page } = shown;
    await page.getByText('No runs yet').or(page.getByRole('table')).first().waitFor();
    await page.getByLabel('Status').selectOption('failed');
    await page.waitForURL(/status=failed/);
    await platform.call('DELETE', `/keys/${made.key_id}`);
    // The stream of events ends with the key: no click is needed.
    await page.getByText('The session ended because its key was revoked or has expired').waitFor();
    await signIn(page, platform, platform.adminKey);
    await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
    expect(new URL(page.url()).search).to.equal('?status=failed');
  });
});
