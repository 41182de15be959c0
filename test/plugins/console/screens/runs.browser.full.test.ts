import { readFile } from 'node:fs/promises';
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
      data: {
        'orbs/test.record@1.0.0.json': recordOrb(),
        'orbisets/keeping.json': {
          ...{ id: 'keeping', tenant: 'default', orbs: ['*'] },
          retention_days: { inputs: 1, outputs: 0 },
        },
      },
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

  it('filter by pick lists with numbers, in an address that can be sent on', async () => {
    const id = await undecided();
    const other = await run();
    shown = await site.open('/runs');
    const { page } = shown;
    await page.getByLabel('Status').selectOption('indeterminate');
    await row(id).waitFor();
    expect(await row(other).count()).to.equal(0);
    // The numbers are those of the runs that would be listed.
    const orbs = page.getByLabel('Orb', { exact: true });
    await orbs.getByRole('option', { name: /^test\.record@1\.0\.0 \(\d+\)$/ }).waitFor({ state: 'attached' });
    expect(await orbs.getByRole('option', { name: /^demo\.echo/ }).count()).to.equal(0);
    const text = await orbs.getByRole('option', { name: /^test\.record/ }).textContent();
    await orbs.selectOption('test.record@1.0.0');
    await page.getByLabel('Provider').selectOption('a');
    await page.getByLabel('Time', { exact: true }).selectOption('24h');
    await page.waitForURL(/status=indeterminate&orb_id=test.record%401.0.0&provider=a&last=24h/);
    await row(id).waitFor();
    expect(await page.locator('main tbody tr').count()).to.equal(Number(/\((\d+)\)/.exec(text ?? '')?.[1]));
    await page.reload();
    await row(id).waitFor();
    expect(await page.getByLabel('Provider').inputValue()).to.equal('a');
    expect(await page.getByLabel('Time', { exact: true }).inputValue()).to.equal('24h');
    await shown.check('runs-filtered');
    await page.getByText('More filters').press('Enter');
    await page.getByLabel('From, local time').fill('2040-01-01T00:00');
    await page.keyboard.press('Enter');
    await page.getByText('No runs match the filters').waitFor();
    expect(page.url()).to.include('from=2040').and.not.to.include('last=');
    await page.getByLabel('Time', { exact: true }).selectOption('1h');
    await row(id).waitFor();
    expect(page.url()).to.include('last=1h').and.not.to.include('from=');
    await page.getByRole('link', { name: 'Clear' }).click();
    await row(other).waitFor();
    expect(shown.faults).to.deep.equal([]);
  });

  it('keep a filter that no run has, and texts for a key that may not count', async () => {
    shown = await site.open('/runs?orb_id=none.*&status=failed,timed_out');
    const { page } = shown;
    await page.getByText('No runs match the filters').waitFor();
    expect(await page.getByLabel('Orb', { exact: true }).inputValue()).to.equal('none.*');
    expect(await page.getByLabel('Status').inputValue()).to.equal('failed,timed_out');
    await shown.close();
    shown = await site.open('/runs/x', await site.platform.key({ scopes: ['orbs:execute'] }));
    await shown.page
      .getByText(/there is no run/i)
      .first()
      .waitFor();
  });

  it('download the filtered runs as CSV, by a link', async () => {
    const id = await undecided();
    shown = await site.open('/runs?status=indeterminate');
    const { page } = shown;
    await row(id).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download CSV' }).press('Enter'),
    ]);
    expect(download.suggestedFilename()).to.equal('runs.csv');
    const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
    const { runs } = (await site.platform.call('GET', '/runs?status=indeterminate&limit=100')).body;
    expect(lines.slice(1).map((line) => line.split(',')[0])).to.deep.equal(
      runs.map(({ run_id }: { readonly run_id: string }) => `"${run_id}"`),
    );
    expect(shown.faults).to.deep.equal([]);
  });

  it('copy an id', async () => {
    const id = await run();
    shown = await site.open(`/runs/${id}`);
    const { page } = shown;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: `Copy ${id}` }).press('Enter');
    await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor({ state: 'attached' });
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(id);
  });

  it('run an Orb again with the kept inputs and a new key, after the reader was told that it may act twice', async () => {
    const { run_id: id } = (
      await site.platform.call('POST', '/orbisets/keeping/execute', { ...record, sandbox: false })
    ).body;
    shown = await site.open(`/runs/${id}`);
    const { page } = shown;
    await page.getByRole('button', { name: 'Run again' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The action may then be done twice.').waitFor();
    await shown.check('run-again');
    const calls = recorder.calls.length;
    await dialog.getByLabel('Type “again” to confirm').fill('again');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => /\/runs\/run_/.test(url.pathname) && !url.pathname.endsWith(id));
    await page.locator('.run-status').getByText('completed').waitFor();
    expect(recorder.calls.length).to.equal(calls + 1);
    expect(shown.faults).to.deep.equal([]);
  });

  it('lead to the form of the Orb where the inputs of a run were not kept', async () => {
    const id = await run();
    shown = await site.open(`/runs/${id}`);
    const { page } = shown;
    await page.getByRole('button', { name: 'Run again' }).press('Enter');
    await page.getByRole('dialog').getByText('The inputs of this run cannot be read').waitFor();
    await shown.check('run-again-without-inputs');
    await page.getByRole('dialog').getByRole('link', { name: 'Open the form' }).press('Enter');
    await page.waitForURL(/\/try\?orb_id=demo.echo%401.0.0&orbiset_id=default/);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
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
