import { expect } from 'chai';
import { until } from '../../helpers/until.ts';
import { shippedOrb } from '../models/bed.ts';
import { priced } from '../budgets/prices/priced.ts';
import { bodyOf, startDouble, type ModelDouble } from '../../providers/llm/vendors/double.ts';
import { openWindow, signIn, startConsole, type ConsoleSite, type ConsoleWindow } from './helpers.ts';

const chat = 'llm.chat@1.0.0';

/** The events of a stream of a vendor that says a text in two parts. */
const stream = [
  ...['Two and two ', 'are four.'].map((content) => ({ choices: [{ index: 0, delta: { content } }] })),
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { choices: [], usage: { prompt_tokens: 1000, completion_tokens: 12, total_tokens: 1012 } },
]
  .map((chunk) => `data: ${JSON.stringify({ id: 'c', model: 'big-1-2026', ...chunk })}\n\n`)
  .join('');

describe('the screens of models of the console', function () {
  this.timeout(120_000);
  let double: ModelDouble;
  let site: ConsoleSite;
  let shown: ConsoleWindow;
  before(async function () {
    double = await startDouble(() => ({ stream: `${stream}data: [DONE]\n\n` }));
    const provider = (models: object) => ({
      adapter: 'llm/openai-compatible',
      config: { dialect: 'vllm', base_url: `${double.url}/v1`, models },
    });
    const fast = { name: 'big-1', max_output_tokens: 100 };
    site = await startConsole(this, {
      platform: {
        providers: {
          main: provider({ fast, free: { name: 'small', max_output_tokens: 5 } }),
          spare: provider({ fast: { ...fast, name: 'other' } }),
          canned: { adapter: 'llm/canned' },
        },
        plugins: {
          budgets: {
            config: {
              budgets: [
                { scope: 'key', per: 'day', nanos: 1_000_000_000 },
                { scope: 'model', of: 'fast', per: 'month', tokens: 100_000 },
                { scope: 'model', of: 'free', per: 'day', tokens: 500 },
              ],
              unpriced: 'allow',
            },
          },
        },
      },
      data: {
        [`orbs/${chat}.json`]: shippedOrb(chat),
        'orbisets/team.json': { id: 'team', tenant: 'default', orbs: ['*'], providers: ['spare'] },
        'prices.json': {
          version: 1,
          prices: [
            priced(
              { input: '3', output: '15' },
              { adapter: 'llm/openai-compatible', model: 'big-1', provider: 'main' },
            ),
            priced(
              { input: '1', output: '2', cache_write: { '5m': '1.25' } },
              { adapter: 'llm/openai-compatible', model: 'other' },
            ),
          ],
        },
      },
    });
    shown = await site.open();
  });
  beforeEach(() => Object.assign(double.manners, { cut: undefined, fault: undefined }));
  after(async () => {
    await shown?.close();
    await site?.close();
    await double?.close();
  });

  const answer = () => shown.page.getByRole('region', { name: 'Answer' });
  const table = (name: string) => shown.page.getByRole('region', { name, exact: true });
  const rowsOf = async (name: string): Promise<readonly string[]> => {
    const rows = await table(name).locator('tbody tr').allInnerTexts();
    return rows.map((row) => row.replace(/\s+/g, ' ').trim());
  };
  const jump = async (key: string, title: string): Promise<void> => {
    await shown.keys('g', key);
    await shown.page.locator('h1:focus', { hasText: title }).waitFor();
  };
  const send = async (message: string): Promise<void> => {
    await shown.page.getByLabel('Message').fill(message);
    await shown.page.getByRole('button', { name: 'Send' }).press('Enter');
  };

  it('load their script when the first of them is opened', async () => {
    const loaded = () =>
      shown.page.evaluate<number>(
        `performance.getEntriesByType('resource').filter(({ name }) => name.includes('/console/app/models-')).length`,
      );
    expect(await loaded()).to.equal(0);
    await jump('m', 'Models');
    await jump('b', 'Budgets');
    expect(await until(loaded, (times) => times > 0)).to.equal(1);
  });

  it('say what to do before there was a call', async () => {
    await shown.page.getByRole('heading', { name: 'No budget was used in its present window' }).waitFor();
    await shown.check('budgets-empty');
    await jump('u', 'Usage');
    await shown.page.getByRole('heading', { name: 'No calls of models ended in this period' }).waitFor();
    await shown.check('usage-empty');
  });

  it('list models with providers and prices, and lead to the playground by keyboard', async () => {
    const { page } = shown;
    await jump('m', 'Models');
    await table('Models').waitFor();
    expect(await rowsOf('Models')).to.deep.equal(['fast main spare $3 $15 Try', 'free main – – Try']);
    expect(await rowsOf('Prices')).to.deep.equal([
      ...['fast main $3 $15 – – 2026-01-01 –', 'fast spare $1 $2 – 5m $1.25 2026-01-01 –'],
    ]);
    await shown.check('models');
    await page.getByRole('link', { name: 'Try free' }).focus();
    await shown.keys('Enter');
    await page.locator('h1:focus', { hasText: 'Playground' }).waitFor();
    expect(await page.getByLabel('Model', { exact: true }).inputValue()).to.equal('free');
    await shown.check('playground-new');
  });

  it('stream an answer, then show its usage, cost and receipt, by keyboard alone', async () => {
    const { page } = shown;
    await jump('y', 'Playground');
    await page.getByLabel('Message').focus();
    await page.keyboard.type('What are two and two?');
    await shown.keys('Tab');
    await page.keyboard.type('50');
    await shown.keys('Enter');
    await answer().getByText('Two and two are four.').waitFor();
    await answer().getByText('completed').waitFor();
    const text = (await answer().innerText()).replace(/\s+/g, ' ');
    // 1000 × $3 and 12 × $15 per million.
    expect(text).to.include('Finish stop Usage 1,000 input tokens, 12 output tokens Cost $0.00318 Run run_');
    await shown.check('playground');
    await answer().getByRole('link', { name: /^rec_/ }).press('Enter');
    await page.getByRole('heading', { level: 1, name: /^Run: llm/ }).waitFor();
    await page.getByText(chat).first().waitFor();
  });

  it('show what was said while the model still speaks; Stop ends the call at the vendor, too', async () => {
    const { page } = shown;
    double.manners.cut = { at: stream.indexOf('\n\n') + 2, how: 'silence' };
    await jump('y', 'Playground');
    await send('Speak for ever');
    await answer().getByText('Two and two').waitFor();
    expect(await answer().getAttribute('aria-busy')).to.equal('true');
    await shown.check('playground-busy');
    await page.getByRole('button', { name: 'Stop' }).press('Enter');
    await answer().getByText('stopped').waitFor();
    await double.quiet();
    const id = (await answer().getByRole('link', { name: /^run_/ }).textContent()) ?? '';
    const ended = await until(
      async () => (await site.platform.call('GET', `/runs/${id}`)).body.status as string,
      (status) => status === 'cancelled',
    );
    expect(ended).to.equal('cancelled');
  });

  it('take no answer for a whole one that broke off, and show why a call was refused', async () => {
    const { page, faults } = shown;
    double.manners.cut = { at: stream.indexOf('\n\n') + 2, how: 'reset' };
    await send('Break off');
    await answer().getByRole('alert').getByText('stream_interrupted').waitFor();
    await answer().getByText('Two and two').waitFor();
    // The browser itself reports the connection that was cut, and the call that was refused.
    const expectFault = async (): Promise<void> => {
      await until(
        () => faults.length,
        (count) => count > 0,
      );
      expect(faults.splice(0)).to.have.length(1);
    };
    await expectFault();
    await shown.check('playground-broken');
    await page.getByLabel('Most output tokens').fill('1000000');
    await send('Too much');
    await answer().getByRole('alert').getByText('budget_exhausted').waitFor();
    expect(await answer().getByText('Two and two').count()).to.equal(0);
    await expectFault();
  });

  it('sum usage and cost by model, by key, which has its name, and by day', async () => {
    const { page } = shown;
    await jump('u', 'Usage');
    await page.getByRole('slider', { name: /^Cost by day, .*: \$0\.00318, / }).waitFor();
    await table('Usage').locator('tbody tr').first().waitFor();
    expect(await rowsOf('Usage')).to.deep.equal(['fast 3 1,000 0 12 $0.00318 2 2']);
    await page.getByText('Cost: $0.00318 in 3 calls, 2 of them without a cost').waitFor();
    await page.getByText('Show as a table').press('Enter');
    expect(await rowsOf('Days')).to.have.length(1);
    await shown.check('usage');
    await page.getByLabel('Chart').selectOption('tokens');
    await page.getByRole('slider', { name: /^Tokens by day, .*: 1,012, / }).waitFor();
    await page.getByLabel('Group').selectOption('key_id');
    await page.getByRole('link', { name: 'admin' }).press('Enter');
    await page.getByText('Only the key').waitFor();
    await page.getByRole('link', { name: 'fast' }).press('Enter');
    await page.waitForURL(/by=day/);
    await until(
      async () => (await rowsOf('Usage')).join(),
      (text) => /^\d{4}-\d\d-\d\d 3 1,000/.test(text),
    );
    await shown.check('usage-model');
    await page.getByRole('link', { name: 'Show all' }).press('Enter');
    await page.getByText('Only the').waitFor({ state: 'detached' });
  });

  for (const days of [-60, 60])
    it(`ask for the days of the server when the clock of the browser is ${days} days off`, async () => {
      const { page, faults, go } = await openWindow(site.platform, site.browser);
      await page.clock.setSystemTime(Date.now() + days * 86_400_000);
      await signIn(page, site.platform, site.platform.adminKey);
      await page.getByRole('region', { name: 'Cost of models' }).getByText('in 3 calls').nth(2).waitFor();
      await go('/usage?days=7');
      await page.getByText('Cost: $0.00318 in 3 calls').waitFor();
      await go('/charts?by=principal');
      await page.getByRole('row', { name: /^admin / }).waitFor();
      await go('/runs?last=1h');
      await page.getByRole('region', { name: 'Runs' }).getByText(chat).first().waitFor();
      await go('/orbs');
      await page.locator('tr', { hasText: chat }).getByRole('link', { name: '3', exact: true }).waitFor();
      expect(faults).to.deep.equal([]);
    });

  it('show budgets with what is left, keys by name, and one that is used up', async () => {
    const { page } = shown;
    // The vendor reports more than the budget has.
    await shown.go('/playground?model=free');
    await send('Hello');
    await answer().getByText('completed').waitFor();
    await answer().getByText('unknown: without usage or without a price').waitFor();
    await jump('b', 'Budgets');
    await table('Budgets').waitFor();
    const rows = await rowsOf('Budgets');
    // On the last day of a month all three end at once.
    const names = rows.map((row) => row.replace(/ \$.*| [\d,]+ tokens .*/, ''));
    expect(names).to.have.members(['fast model month', 'free model day', 'admin key day']);
    const rowOf = (name: string) => rows[names.indexOf(name)];
    expect(rowOf('free model day')).to.include('500 tokens 1,012 tokens 0 tokens 0 tokens used up');
    expect(rowOf('fast model month')).to.match(/ 100,000 tokens 1,012 tokens /);
    await page.getByLabel('Budget of').selectOption('key');
    await page.getByText('fast').waitFor({ state: 'detached' });
    await shown.check('budgets');
  });

  it('are those of an Orbiset, if the user chooses one', async () => {
    const { page } = shown;
    await shown.go('/models');
    await page.getByLabel('Orbiset').selectOption('team');
    await page.getByRole('link', { name: 'Try free' }).waitFor({ state: 'detached' });
    await table('Models').waitFor();
    expect(await rowsOf('Models')).to.deep.equal(['fast spare $1 $2 Try']);
    await page.getByRole('link', { name: 'Try fast' }).press('Enter');
    await page.locator('h1:focus', { hasText: 'Playground' }).waitFor();
    await send('Hello');
    await answer().getByText('completed').waitFor();
    expect(bodyOf(double.posts.at(-1))).to.include({ model: 'other' });
    await shown.check('playground-orbiset');
  });

  it('ask the sandbox with a test key, by any name where the provider lists none', async () => {
    const key = await site.platform.key({ name: 'tests', mode: 'test', scopes: ['orbs:execute', 'runs:read'] });
    const other = await site.open('/models', key);
    await other.page.getByRole('heading', { name: 'No models yet' }).waitFor();
    expect(await other.page.getByText('Prices per million tokens').count()).to.equal(0);
    await other.go('/playground');
    await other.page.getByLabel('Model', { exact: true }).fill('any');
    await other.page.getByLabel('Message').fill('Hello');
    await other.page.getByRole('button', { name: 'Send' }).press('Enter');
    const said = other.page.getByRole('region', { name: 'Answer' });
    await said.getByText('This is a canned answer.').waitFor();
    await said.getByText('not reported by the provider').waitFor();
    await other.check('playground-sandbox');
    await other.close();
  });

  it('say so when their script cannot be loaded', async () => {
    const other = await site.open();
    await other.page.route('**/console/app/models-*', (route) => route.abort());
    await other.go('/models');
    await other.page.getByRole('alert').getByText('Reload the page.').waitFor();
    await other.page.getByRole('heading', { level: 1, name: 'Models' }).waitFor();
    await other.close();
  });

  it('are not there for a key without their scopes', async () => {
    const other = await site.open('/usage', await site.platform.key({ name: 'reader', scopes: ['stats:read'] }));
    await other.page.getByText('It needs the scope usage:read').waitFor();
    expect(await other.page.getByRole('link', { name: 'Models' }).count()).to.equal(0);
    await other.close();
  });
});
