import { expect } from 'chai';
import { ProviderError } from '../../../../kernel/adapter.ts';
import { createRecorder, recordOrb } from '../../../helpers/recorder.ts';
import { openWindow, signIn, startConsole, type ConsoleSite } from '../helpers.ts';

const echo = { orb_id: 'demo.echo@1.0.0', inputs: { text: 'hello' } };

describe('the home of the console', function () {
  this.timeout(120_000);
  const recorder = createRecorder();
  let site: ConsoleSite;
  before(async function () {
    site = await startConsole(this, {
      platform: {
        providers: {
          a: { adapter: 'record/local', config: { name: 'a' } },
          echo: { adapter: 'echo/local', config: {} },
        },
      },
      data: { 'orbs/test.record@1.0.0.json': recordOrb() },
      adapters: [recorder.adapter],
    });
  });
  after(() => site?.close());

  it('says that nothing needs a person, and ticks off the first steps by themselves', async () => {
    const shown = await site.open();
    const { page } = shown;
    await page.getByRole('heading', { name: 'All clear' }).waitFor();
    const step = (name: string, state: string) =>
      page.locator('.first-steps li').filter({ hasText: name }).getByText(state, { exact: true }).waitFor();
    await step('Run an Orb', 'to do');
    await step('Bind a real provider', 'done');
    await step('Create a key for your application', 'to do');
    await step('Publish an Orb', 'optional');
    await shown.check('home-new');
    await site.platform.call('POST', '/orbisets/default/execute', echo);
    await site.platform.key({ name: 'app', scopes: ['orbs:execute'] });
    await site.platform.call('POST', '/marketplace/orbs/publish', { orb_id: 'demo.echo@1.0.0' });
    await page.reload();
    await step('Run an Orb', 'done');
    await step('Create a key for your application', 'done');
    await step('Publish an Orb', 'done');
    await page.getByRole('link', { name: 'Write a policy' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Policies' }).waitFor();
    await shown.close();
  });

  it('shows a run whose outcome is unknown as it ends, and leads to it', async () => {
    const shown = await site.open();
    const { page } = shown;
    await page.getByRole('heading', { name: 'All clear' }).waitFor();
    recorder.behaviour['a'] = { execute: () => Promise.reject(new Error('the line broke')) };
    const asked = { orb_id: 'test.record@1.0.0', inputs: { token: 'x' } };
    const { body } = await site.platform.call('POST', '/orbisets/default/execute', asked);
    const panel = page.locator('section.panel').filter({ hasText: 'Undecided runs' });
    await panel.getByText(String(body.run_id)).waitFor();
    await shown.check('home');
    await panel.getByRole('link', { name: 'test.record@1.0.0' }).click();
    await page.getByRole('button', { name: `Copy ${String(body.run_id)}` }).waitFor();
    await shown.close();
  });

  it('shows numbers that lead to the lists behind them, the last 24 hours unless chosen', async () => {
    const shown = await site.open();
    const { page } = shown;
    const tile = (name: string) => page.locator('.tile').getByRole('link', { name });
    await page.getByRole('slider', { name: 'Runs by outcome, runs per minute' }).waitFor();
    expect(await page.getByLabel('Period').inputValue()).to.equal('quarter_hour');
    // One run of the echo, and one whose outcome is unknown.
    expect(await tile('Runs').innerText()).to.contain('2');
    expect(await tile('Error rate').innerText()).to.contain('50 %');
    await shown.check('home-numbers');
    await tile('Error rate').click();
    await page.waitForURL((url) => url.searchParams.get('status') === 'failed,timed_out,indeterminate');
    const rows = page.getByRole('table', { name: 'Runs' }).locator('tbody tr');
    await rows.filter({ hasText: 'indeterminate' }).waitFor();
    expect(await rows.count()).to.equal(1);
    await page.goBack();
    await page.getByLabel('Period').selectOption('day');
    await page.waitForURL(/step=day/);
    await page.getByRole('slider', { name: 'Runs by outcome, runs per day' }).waitFor();
    await shown.close();
  });

  it('shows providers, swaps, incidents and what models cost, and how a part could not be read', async () => {
    const usage = { calls: 3, unknown_calls: 0, unpriced_calls: 1, input_tokens: 9, cache_read_tokens: 0 };
    const more = { cache_write_tokens: 0, output_tokens: 1, reasoning_tokens: 0, cost_nanos: 1_230_000_000 };
    const day = new Date().toISOString().slice(0, 10);
    const shown = await openWindow(site.platform, site.browser);
    const { page } = shown;
    await page.route('**/usage?*', (route) =>
      route.fulfill({ json: { from: day, to: day, usage: [{ day, ...usage, ...more }] } }),
    );
    await page.route('**/swaps?*', (route) =>
      route.fulfill({ status: 503, json: { title: 'The store is not available', code: 'storage_unavailable' } }),
    );
    await signIn(page, site.platform, site.platform.adminKey);
    const part = (name: string) => page.getByRole('region', { name });
    await part('Providers').getByRole('link', { name: 'echo' }).waitFor();
    await part('Cost of models').getByRole('link', { name: '$1.23' }).first().waitFor();
    await part('Last incidents').getByText('No incidents yet').waitFor();
    const swaps = part('Last swaps');
    await swaps.getByText('The store is not available').waitFor();
    const again = swaps.getByRole('button', { name: 'Try again' });
    await Promise.all([page.waitForRequest('**/swaps?*'), again.click()]);
    await page.unroute('**/swaps?*');
    // An event may read it again before the click, and the button goes.
    void again.click().catch(() => undefined);
    await swaps.getByText('No swaps yet').waitFor();
    await shown.close();
  });

  it('hides what the key may not read; the first steps are gone once they are done, also after a reload', async () => {
    const key = await site.platform.key({ name: 'guest', scopes: ['runs:read', 'providers:read', 'stats:read'] });
    const shown = await site.open('', key);
    const { page } = shown;
    const names = async () => (await page.getByRole('heading', { level: 2 }).allInnerTexts()).map((one) => one.trim());
    await page.getByRole('heading', { name: 'Last swaps' }).waitFor();
    await page.getByRole('slider').first().waitFor();
    expect(await names()).to.deep.equal(['Needs attention', 'Runs', 'Providers', 'Last swaps']);
    await page.reload();
    await page.getByRole('slider').first().waitFor();
    expect(await names()).to.deep.equal(['Needs attention', 'Runs', 'Providers', 'Last swaps']);
    await shown.check('home-guest');
    await shown.close();
  });

  it('follows providers, incidents and keys: what needs a person comes and goes by itself', async () => {
    const shown = await site.open();
    const { platform } = site;
    const concern = (name: string) => shown.page.getByRole('heading', { name });
    const call = { orb_id: 'test.record@1.0.0', inputs: { token: 'x' } };
    await concern('First steps').waitFor();
    recorder.behaviour['a'] = { execute: () => Promise.reject(new ProviderError('provider_fault', 'broken')) };
    await platform.call('POST', '/orbisets/default/execute', call);
    await concern('Providers down').waitFor();
    recorder.behaviour['a'] = undefined;
    await platform.call('POST', '/orbisets/default/execute', call);
    await concern('Providers down').waitFor({ state: 'detached' });

    const scope = [{ kind: 'component', id: 'runtime' }];
    const { body: incident } = await platform.call('POST', '/incidents', { title: 'Slow', severity: 'warning', scope });
    await concern('Open incidents').waitFor();
    await platform.call('POST', `/incidents/${incident.incident_id}/retract`, { reason: 'a drill' });
    await concern('Open incidents').waitFor({ state: 'detached' });

    const expires_at = new Date(Date.now() + 86_400_000).toISOString();
    const { body: key } = await platform.call('POST', '/keys', { name: 'short', scopes: ['runs:read'], expires_at });
    await concern('Expiring keys').waitFor();
    await platform.call('DELETE', `/keys/${key.key_id}`);
    await concern('Expiring keys').waitFor({ state: 'detached' });
    await shown.close();
  });
});
