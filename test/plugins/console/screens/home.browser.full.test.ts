import { ProviderError } from '../../../../kernel/adapter.ts';
import { createRecorder, recordOrb } from '../../../helpers/recorder.ts';
import { startConsole, type ConsoleSite } from '../helpers.ts';

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
    await step('Publish an Orb', 'to do');
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
    const panel = page.locator('section').filter({ hasText: 'Undecided runs' });
    await panel.getByText(String(body.run_id)).waitFor();
    await shown.check('home');
    await panel.getByRole('link', { name: 'test.record@1.0.0' }).click();
    await page.getByRole('button', { name: `Copy ${String(body.run_id)}` }).waitFor();
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
