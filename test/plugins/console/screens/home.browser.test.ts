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
    await page.getByRole('heading', { name: 'Nothing needs you' }).waitFor();
    const step = (name: string, state: string) =>
      page.locator('.first-steps li').filter({ hasText: name }).getByText(state, { exact: true }).waitFor();
    await step('Run an Orb', 'to do');
    await step('Bind a real provider', 'done');
    await step('Make a key for your application', 'to do');
    await step('Publish an Orb', 'to do');
    await shown.check('home-new');
    await site.platform.call('POST', '/orbisets/default/execute', echo);
    await site.platform.key({ name: 'app', scopes: ['orbs:execute'] });
    await site.platform.call('POST', '/marketplace/orbs/publish', { orb_id: 'demo.echo@1.0.0' });
    await page.reload();
    await step('Run an Orb', 'done');
    await step('Make a key for your application', 'done');
    await step('Publish an Orb', 'done');
    await page.getByRole('link', { name: 'Write a policy' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Policies' }).waitFor();
    await shown.close();
  });

  it('shows a run whose outcome is unknown as it ends, and leads to it', async () => {
    const shown = await site.open();
    const { page } = shown;
    await page.getByRole('heading', { name: 'Nothing needs you' }).waitFor();
    recorder.behaviour['a'] = { execute: () => Promise.reject(new Error('the line broke')) };
    const asked = { orb_id: 'test.record@1.0.0', inputs: { token: 'x' } };
    const { body } = await site.platform.call('POST', '/orbisets/default/execute', asked);
    const panel = page.locator('section').filter({ hasText: 'Undecided runs' });
    await panel.getByText(String(body.run_id)).waitFor();
    await shown.check('home');
    await panel.getByRole('link', { name: 'test.record@1.0.0' }).click();
    await page.getByRole('heading', { name: String(body.run_id) }).waitFor();
    await shown.close();
  });
});
