import { expect } from 'chai';
import { ProviderError } from '../../../../kernel/adapter.ts';
import { createRecorder, recordOrb } from '../../../helpers/recorder.ts';
import { startConsole, type ConsoleSite, type ConsoleWindow } from '../helpers.ts';
import { providerKey } from '../../ingestion/reports/bed.ts';

const echo = { orb_id: 'demo.echo@1.0.0', inputs: { text: 'hello' } };
const record = { orb_id: 'test.record@1.0.0', inputs: { token: 'x' } };

describe('the screens of runs', function () {
  this.timeout(120_000);
  const recorder = createRecorder();
  let site: ConsoleSite;
  let shown: ConsoleWindow | undefined;
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
  afterEach(async () => {
    await shown?.close();
    shown = undefined;
  });
  after(() => site?.close());

  const run = async (body: object = echo): Promise<string> =>
    String((await site.platform.call('POST', '/orbisets/default/execute', body)).body.run_id);
  const undecided = async (): Promise<string> => {
    Object.assign(recorder.behaviour, { a: { execute: () => Promise.reject(new Error('the line broke')) } });
    return run(record).finally(() => Object.assign(recorder.behaviour, { a: undefined }));
  };
  const row = (id: string) => shown?.page.getByRole('row').filter({ hasText: id }) ?? expect.fail('no window');

  it('say what to do when nothing has run, and show a new run within a second', async () => {
    shown = await site.open('/runs');
    const { page } = shown;
    await page.getByRole('heading', { name: 'No runs yet' }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await shown.check('runs-empty');
    const began = Date.now();
    const id = await run();
    const answered = Date.now();
    await row(id).getByText('completed').waitFor();
    expect(Date.now() - answered, `answered after ${answered - began} ms`).to.be.lessThan(1000);
    await shown.check('runs');
  });

  it('hold new rows back while the pointer or the focus is in the table, and say how many', async () => {
    await run();
    shown = await site.open('/runs');
    const { page } = shown;
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('row').nth(1).hover();
    const [one, two] = [await run(), await run()];
    await page.getByRole('status').filter({ hasText: '2 new runs' }).waitFor();
    expect(await row(one).count()).to.equal(0);
    await page.getByRole('button', { name: 'Show 2 new runs' }).click();
    await row(one).waitFor();
    await row(two).waitFor();
    await page.getByRole('heading', { level: 1 }).hover();
    await page.getByRole('link', { name: one }).focus();
    const three = await run();
    await page.getByRole('button', { name: 'Show 1 new run' }).press('Enter');
    await row(three).waitFor();
    expect(shown.faults).to.deep.equal([]);
  });

  it('filter by all that the API filters by, in an address that can be sent on', async () => {
    const id = await undecided();
    const other = await run();
    shown = await site.open('/runs');
    const { page } = shown;
    await page.getByLabel('Status').selectOption('indeterminate');
    await row(id).waitFor();
    expect(await row(other).count()).to.equal(0);
    await page.getByLabel('Orb', { exact: true }).fill('test.record@1.0.0');
    await page.getByText('More filters').press('Enter');
    await page.getByLabel('Provider').fill('a');
    await page.keyboard.press('Enter');
    await page.waitForURL(/status=indeterminate&orb_id=test.record%401.0.0&provider=a/);
    await row(id).waitFor();
    await page.reload();
    await row(id).waitFor();
    expect(await page.getByLabel('Provider').inputValue()).to.equal('a');
    await page.getByLabel('From, local time').fill('2040-01-01T00:00');
    await page.keyboard.press('Enter');
    await page.getByText('No runs match the filters').waitFor();
    await shown.check('runs-filtered');
    await page.getByRole('link', { name: 'Clear' }).click();
    await row(other).waitFor();
  });

  it('show one: decision, attempts, receipt, verified in the browser', async () => {
    const id = await run();
    shown = await site.open('/runs');
    const { page } = shown;
    await page.getByRole('link', { name: id }).press('Enter');
    await page.getByRole('heading', { name: 'Allowed' }).waitFor();
    await page.getByRole('heading', { name: '1 attempt' }).waitFor();
    await page.getByText('VERIFIED', { exact: true }).waitFor();
    await page.getByText(/(\d+) of \1 checks passed/).press('Enter');
    await page.getByText('The receipt is in the log').waitFor();
    await shown.check('run');
  });

  it('say REJECTED when the receipt that the server sent is not what was signed', async () => {
    const id = await run();
    shown = await site.open();
    const { page } = shown;
    const { receipt_id } = (await site.platform.call('GET', `/runs/${id}`)).body;
    const receipt = JSON.stringify((await site.platform.call('GET', `/receipts/${receipt_id}`)).body);
    const body = receipt.replace('"trust_score":80', '"trust_score":99');
    expect(body).not.to.equal(receipt);
    await page.route('**/receipts/*', (route) => route.fulfill({ contentType: 'application/json', body }));
    await shown.go(`/runs/${id}`);
    await page.getByText('REJECTED', { exact: true }).waitFor();
    await page.getByText(/\d+ of \d+ checks passed/).press('Enter');
    await page.locator('.checks').getByText('fail', { exact: true }).first().waitFor();
    await shown.check('run-rejected');
  });

  it('resolve a run whose outcome is unknown, by keyboard alone, after its word was typed', async () => {
    const id = await undecided();
    shown = await site.open(`/runs/${id}`);
    const { page } = shown;
    await page.getByRole('button', { name: 'Resolve' }).press('Enter');
    const dialog = page.getByRole('dialog');
    const submit = dialog.getByRole('button', { name: 'Resolve' });
    await dialog.getByLabel('Outcome').selectOption('sent');
    await dialog.getByText('Retries of the same call get this result').waitFor();
    expect(await submit.isDisabled()).to.equal(true);
    await shown.check('run-resolve');
    await dialog.getByText('API call').press('Enter');
    await dialog.getByText('Authorization: Bearer $ORB_KEY').waitFor();
    await dialog.getByLabel('Type “resolve” to confirm').focus();
    await page.keyboard.type('resolve');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('It was resolved later').waitFor();
    await page.locator('.run-status').getByText('completed').waitFor();
    expect((await site.platform.call('GET', `/runs/${id}`)).body.status).to.equal('completed');
    expect(shown.faults).to.deep.equal([]);
  });

  it('show that a delivery report settled a run, with a link to the report', async () => {
    const id = await undecided();
    const source = { name: 'mail', vendor: 'postmark', may_name: { providers: ['a'] } };
    const { token, secret } = (await site.platform.call('POST', '/sources', source)).body;
    const body = { RecordType: 'Delivery', MessageID: 'm1', Metadata: { orb_key: providerKey(id, 'a') } };
    const reported = await fetch(`${site.platform.url}/hooks/${token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Basic ${btoa(`orb:${secret}`)}` },
      body: JSON.stringify(body),
    });
    const { delivery_id } = (await reported.json()) as { delivery_id: string };
    shown = await site.open(`/runs/${id}`);
    const { page } = shown;
    await page.getByRole('heading', { name: 'Delivery' }).waitFor();
    await page.locator('.run-status').getByText('completed').waitFor();
    await page.getByText('delivered', { exact: true }).waitFor();
    await shown.check('run-delivery');
    await page.getByRole('link', { name: delivery_id }).press('Enter');
    await page.waitForURL(new RegExp(`/deliveries/${delivery_id}`));
  });

  it('show why a run failed, in the words of its adapter', async () => {
    const execute = () => Promise.reject(new ProviderError('rejected', 'there is no such place'));
    Object.assign(recorder.behaviour, { a: { execute } });
    const id = await run(record).finally(() => Object.assign(recorder.behaviour, { a: undefined }));
    shown = await site.open(`/runs/${id}`);
    await shown.page.getByText('there is no such place').waitFor();
    await shown.page.getByText('failed: at most 39').waitFor();
    await shown.check('run-failed');
  });

  it('cancel a run that waits, by mouse, and show why a call failed', async () => {
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const id = await run({ ...record, mode: 'async', run_at: later });
    shown = await site.open(`/runs/${id}`);
    const { page } = shown;
    await page.locator('.run-status').getByText('queued').waitFor();
    await shown.check('run-queued');
    await page.route('**/cancel', (route) => route.abort(), { times: 1 });
    await page.getByRole('button', { name: 'Cancel the run' }).click();
    const dialog = page.getByRole('dialog');
    const act = dialog.getByRole('button', { name: 'Cancel the run' });
    await act.click();
    await dialog.getByRole('alert').getByText('No response from the server').waitFor();
    await act.click();
    await page.locator('.run-status').getByText('cancelled', { exact: true }).waitFor();
  });
});
