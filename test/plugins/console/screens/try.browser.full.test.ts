import { expect } from 'chai';
import type { Route } from 'playwright-core';
import { ProviderError } from '../../../../kernel/adapter.ts';
import { createRecorder, recordOrb } from '../../../helpers/recorder.ts';
import { startConsole, type ConsoleSite, type ConsoleWindow } from '../helpers.ts';
import { until } from '../../../helpers/until.ts';

const orb = 'test.record@1.0.0';
const inputs_schema = {
  type: 'object',
  required: ['token'],
  additionalProperties: false,
  properties: {
    token: { type: 'string', title: 'Token', minLength: 2, description: 'What is handed over' },
    urgent: { type: 'boolean', title: 'Urgent' },
    tags: { type: 'array', items: { type: 'string' } },
  },
};

describe('trying an Orb in the console', function () {
  this.timeout(120_000);
  const recorder = createRecorder();
  let site: ConsoleSite;
  let shown: ConsoleWindow;
  before(async function () {
    const provider = (adapter: string, name: string) => ({ adapter: `record/${adapter}`, config: { name } });
    site = await startConsole(this, {
      adapters: [recorder.adapter, { ...recorder.adapter, name: 'record/sandbox', sandbox: true }],
      platform: {
        providers: {
          real: provider('local', 'real'),
          trial: provider('sandbox', 'trial'),
          echo: { adapter: 'echo/local' },
        },
        bindings: { [orb]: ['real', 'trial'] },
      },
      data: { [`orbs/${orb}.json`]: recordOrb({ inputs_schema, timeout_ms: 60_000 }) },
    });
    shown = await site.open(`/try?orb_id=${orb}`);
  });
  after(async () => {
    await shown?.close();
    await site?.close();
  });
  const result = () => shown.page.getByRole('region', { name: 'Result' });
  const served = () => recorder.calls.map(({ provider, token }) => `${provider} ${token}`);

  it('tests first: nothing live is called, and the same call stands beside it as curl', async () => {
    const { page } = shown;
    await page.getByLabel('Token').fill('by mouse');
    await page.getByLabel('Urgent').check();
    await page.getByLabel('tags').fill('a\nb');
    const curl = (await page.getByRole('region', { name: 'request with curl' }).first().textContent()) ?? '';
    expect(curl).to.include('"sandbox":true').and.include('"tags":["a","b"]').and.include('$ORB_KEY');
    await shown.check('try');
    await page.getByRole('button', { name: 'Run the test' }).click();
    await result().getByText('completed').waitFor();
    expect(served()).to.deep.equal(['trial by mouse']);
    await result().getByRole('region', { name: 'outputs' }).waitFor();
    await shown.check('try-result');
    await result().getByRole('link', { name: /^rec_/ }).click();
    await page
      .getByRole('heading', { level: 1 })
      .filter({ hasText: /^Receipt: test.record/ })
      .waitFor();
    expect(page.url()).to.match(/\/console\/receipts\/rec_/);
  });

  it('tells by a dry run what would be decided, and does nothing', async () => {
    const { page } = shown;
    const before = recorder.calls.length;
    await shown.go(`/try?orb_id=${orb}`);
    await page.getByLabel('Token').fill('what if');
    await page.getByLabel('Live').check();
    await page.getByRole('button', { name: 'Dry run' }).click();
    await result().getByText('It would be allowed.').waitFor();
    expect(await result().innerText()).to.match(/irreversible[\s\S]*real/);
    expect(recorder.calls.length).to.equal(before);
    await shown.check('try-preview');
  });

  it('shows at a field what is wrong with it, before and after the server is asked', async () => {
    const { page } = shown;
    await shown.go(`/try?orb_id=${orb}&orbiset_id=default`);
    await page.getByLabel('Test').check();
    await page.getByLabel('Token').fill('');
    await page.getByRole('button', { name: 'Run the test' }).click();
    await page.getByText('Required').waitFor();
    await page.getByLabel('Token').fill('x');
    await page.getByRole('button', { name: 'Run the test' }).click();
    await result().getByRole('alert').waitFor();
    // The browser itself reports that the call was refused, at its own time.
    await until(
      () => shown.faults.length,
      (count) => count > 0,
    );
    expect(shown.faults.splice(0)).to.have.length(1);
    expect(await page.getByLabel('Token').getAttribute('aria-invalid')).to.equal('true');
    await shown.check('try-invalid');
  });

  it('keeps the focus of a field when the list behind it arrives', async () => {
    const { page } = shown;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const list = ({ pathname }: URL): boolean => pathname.endsWith('/orbs');
    await page.route(list, async (route) => {
      await promise;
      await route.continue();
    });
    const field = page.getByLabel('Orb', { exact: true });
    await shown.go('/');
    await field.waitFor({ state: 'detached' });
    await shown.go('/try');
    // The focus goes to the heading just after it is there.
    await until(
      () => page.evaluate('document.activeElement.textContent'),
      (focused) => focused === 'Try it',
      'the focus on the heading',
    );
    await field.focus();
    resolve(undefined);
    await field.locator(`option[value="${orb}"]`).waitFor({ state: 'attached' });
    expect(await field.evaluate((element) => element === element.ownerDocument.activeElement)).to.equal(true);
    await page.unroute(list);
  });

  it('is done live by keyboard alone, after a word, and once', async () => {
    const { page } = shown;
    recorder.calls.length = 0;
    await shown.go('/');
    await shown.keys('g', 't');
    await page.getByRole('heading', { level: 1, name: 'Try it' }).waitFor();
    await page.getByLabel('Orb', { exact: true }).focus();
    await page.getByLabel('Orb', { exact: true }).selectOption(orb);
    await page.getByLabel('Token').focus();
    await page.keyboard.type('by keyboard');
    await page.getByLabel('Test').focus();
    await shown.keys('ArrowDown');
    await page.getByRole('button', { name: 'Run live' }).focus();
    await shown.keys('Enter');
    await page.locator('dialog[open]').waitFor();
    await page.getByLabel(/Type “live”/).focus();
    await page.keyboard.type('live');
    await page.locator('dialog button[type=submit]:enabled').waitFor();
    await shown.check('try-live');
    await shown.keys('Enter');
    await result().getByText('completed').waitFor();
    expect(served()).to.deep.equal(['real by keyboard']);
  });

  it('follows a run that waits until it has ended', async () => {
    const { page } = shown;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    recorder.behaviour['trial'] = { execute: async () => void (await promise) };
    await page.getByLabel('Test').check();
    await page.getByLabel('Run in the background').check();
    await page.getByRole('button', { name: 'Run the test' }).click();
    await result()
      .getByText(/queued|running/)
      .first()
      .waitFor();
    await result().getByRole('button', { name: 'Cancel the run' }).waitFor();
    await shown.check('try-waits');
    resolve(undefined);
    await result().getByText('completed').waitFor();
    await result().getByRole('region', { name: 'outputs' }).waitFor();
    recorder.behaviour['trial'] = undefined;
  });

  it('takes the inputs as JSON, and every Orb by its address', async () => {
    const { page } = shown;
    await shown.go('/try?orb_id=demo.echo%401.0.0');
    await page.getByLabel('Enter the inputs as JSON').check();
    await page.getByRole('textbox', { name: 'Inputs' }).fill('{"text": "hello"}');
    await page.getByRole('button', { name: 'Run the test' }).click();
    await result().getByText('completed').waitFor();
    expect(await result().innerText()).to.include('hello');
    expect(shown.faults).to.deep.equal([]);
  });

  it('serves a key that may run one Orb and read none, and a test key, which has no live', async () => {
    const own = await site.platform.key({ name: 'one Orb', scopes: ['orbs:execute:demo.*'] });
    const narrow = await site.open('/try?orb_id=demo.echo%401.0.0', own);
    await narrow.page.getByRole('textbox', { name: 'Inputs' }).fill('{"text": "narrow"}');
    await narrow.page.getByRole('button', { name: 'Run the test' }).click();
    await narrow.page.getByRole('region', { name: 'Result' }).getByText('completed').waitFor();
    await narrow.check('try-narrow');
    await narrow.close();
    const test = await site.platform.key({ name: 'tests', mode: 'test', scopes: ['orbs:execute', 'orbs:read'] });
    const sandboxed = await site.open(`/try?orb_id=${orb}`, test);
    await sandboxed.page.getByRole('radio', { name: /^Test/ }).waitFor();
    expect(await sandboxed.page.getByRole('radio', { name: /^Live/ }).isDisabled()).to.equal(true);
    await sandboxed.page.getByLabel('Token').fill('by a test key');
    await sandboxed.page.getByRole('button', { name: 'Run the test' }).click();
    await sandboxed.page.getByRole('region', { name: 'Result' }).getByText('completed').waitFor();
    expect(served().at(-1)).to.equal('trial by a test key');
    expect(sandboxed.faults).to.deep.equal([]);
    await sandboxed.close();
  });

  describe('sends a live run', () => {
    beforeEach(async () => {
      const { page } = shown;
      recorder.calls.length = 0;
      await shown.go('/');
      await shown.go(`/try?orb_id=${orb}`);
      await page.getByLabel('Live').check();
    });
    afterEach(() => {
      recorder.behaviour['real'] = undefined;
      shown.faults.length = 0;
    });
    const ask = async (token: string): Promise<void> => {
      await shown.page.getByLabel('Token').fill(token);
      await shown.page.getByRole('button', { name: 'Run live' }).click();
      await shown.page.getByLabel(/Type “live”/).fill('live');
    };
    const send = () => shown.page.getByRole('dialog').getByRole('button', { name: 'Run live' }).click();
    const refused = (code: string) => shown.page.getByRole('alert').getByText(code).waitFor();
    const close = () => shown.page.getByRole('button', { name: 'Cancel' }).click();

    it('again as another run after the provider failed', async () => {
      recorder.behaviour['real'] = { execute: () => Promise.reject(new ProviderError('provider_fault', 'broken')) };
      await ask('again');
      await send();
      await refused('provider_failed');
      recorder.behaviour['real'] = undefined;
      await send();
      await result().getByText('completed').waitFor();
      expect(served()).to.deep.equal(['real again', 'real again']);
    });

    it('as the same one while its outcome is unknown, and with other inputs as another', async () => {
      recorder.behaviour['real'] = { execute: () => Promise.reject(new Error('the line broke')) };
      await ask('unknown');
      await send();
      await refused('outcome_unknown');
      recorder.behaviour['real'] = undefined;
      await send();
      await refused('outcome_unknown');
      await close();
      await ask('other');
      await send();
      await result().getByText('completed').waitFor();
      await ask('unknown');
      await send();
      await refused('outcome_unknown');
      await close();
      expect(served()).to.deep.equal(['real unknown', 'real other']);
    });

    it('once when its answer was lost', async () => {
      const { page } = shown;
      const lost = ({ pathname }: URL): boolean => pathname.endsWith('/execute');
      const loses = async (route: Route): Promise<void> => {
        const headers = { ...(await route.request().allHeaders()), 'sec-fetch-site': 'same-origin' };
        expect((await route.fetch({ headers })).status()).to.equal(200);
        await route.abort();
      };
      await page.route(lost, loses, { times: 1 });
      await ask('lost');
      await send();
      await refused('unreachable');
      expect(served()).to.deep.equal(['real lost']);
      await send();
      await result().getByText('completed').waitFor();
      expect(served()).to.deep.equal(['real lost']);
    });
  });
});
