import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { until } from '../../../helpers/until.ts';
import { startConsole, type ConsoleSite, type ConsoleWindow } from '../helpers.ts';

const hashOf = (first: number, ...parts: readonly Uint8Array[]): Buffer =>
  createHash('sha256')
    .update(Buffer.concat([Buffer.of(first), ...parts]))
    .digest();

describe('the screens of receipts', function () {
  this.timeout(120_000);
  let site: ConsoleSite;
  let shown: ConsoleWindow | undefined;
  let runId: string;
  let receiptId: string;
  before(async function () {
    site = await startConsole(this);
    const body = { orb_id: 'demo.echo@1.0.0', inputs: { text: 'hello' } };
    const run = (await site.platform.call('POST', '/orbisets/default/execute', body)).body;
    runId = run.run_id;
    receiptId = run.receipt.receipt_id;
    await site.platform.call('PUT', '/providers/spare', { adapter: 'echo/local' });
  });
  afterEach(async () => {
    await shown?.close();
    shown = undefined;
  });
  after(() => site?.close());

  const open = async (path: string, key?: string): Promise<ConsoleWindow> => (shown = await site.open(path, key));
  const receipt = async (id = receiptId) => (await site.platform.call('GET', `/receipts/${id}`)).body;
  const firstOf = async (kind: string): Promise<string> => {
    const { receipts } = (await site.platform.call('GET', '/receipts')).body;
    return receipts.find((one: { readonly kind: string }) => one.kind === kind).receipt_id;
  };

  it('say what is attested, and lead from the run to its receipt and back, by keyboard', async () => {
    const { page, check } = await open(`/runs/${runId}`);
    await page.getByRole('link', { name: receiptId }).press('Enter');
    await page.locator('h1:focus', { hasText: 'Receipt: demo.echo@1.0.0 completed' }).waitFor();
    expect(await page.title()).to.match(/^Receipt: demo\.echo@1\.0\.0 completed/);
    const words = (await page.locator('main').innerText()).replace(/\s+/g, ' ');
    for (const said of [
      'A run of the Orb demo.echo@1.0.0 in the Orbiset default ended as completed.',
      'Policies allowed it (execute_by_scope). The provider was echo, after 1 attempt.',
      'It ran in the sandbox: no data left the server.',
      'It does not attest that the inputs are true; that the provider told the truth;',
    ])
      expect(words).to.include(said);
    await page.getByText('VERIFIED', { exact: true }).waitFor();
    await check('receipt');
    await page.locator('main').getByRole('link', { name: runId }).press('Enter');
    await page.locator('h1:focus', { hasText: 'Run: demo.echo@1.0.0' }).waitFor();
  });

  it('explain the score by the deductions of the receipt', async () => {
    const { trust_score, deductions } = (await receipt()).statement.predicate.score;
    const { page } = await open(`/receipts/${receiptId}`);
    await page.getByText(`100 points less ${100 - trust_score}.`).waitFor();
    const table = page.getByRole('region', { name: 'Why the score is not higher' });
    const rows = (await table.locator('tbody tr').allInnerTexts()).map((row) => row.replace(/\s+/g, ' ').trim());
    expect(rows).to.have.lengthOf(deductions.length);
    expect(rows).to.include.members([
      'The signing key is in the memory of the server −4 /facts/key/custody in_process',
      'The manifest of the Orb is not signed −6 /facts/orb/manifest_signed false',
      'The certification tier of the Orb is below platinum −10 /facts/orb/tier none',
    ]);
  });

  it('draw the position in the log, with the same as text', async () => {
    const { proof } = await receipt();
    const { page, check } = await open(`/receipts/${receiptId}`);
    const drawing = page.getByRole('img', {
      name: `The inclusion path of entry ${proof.index} in a log of ${proof.tree_size}`,
    });
    await drawing.waitFor();
    // Each hash of the proof is a node, beside the root and the entry.
    expect(await drawing.locator('.log-box').count()).to.equal(proof.hashes.length + 2);
    await page.getByText('Show as a table').press('Enter');
    const hashes = await page.getByRole('region', { name: 'Inclusion path' }).locator('tbody code').allTextContents();
    expect(hashes).to.deep.equal(proof.hashes);
    // The sides that the table names lead from the entry to the root that the log signed (RFC 9162, section 2.1.3).
    const sides = await page
      .getByRole('region', { name: 'Inclusion path' })
      .locator('tbody td:nth-child(2)')
      .allTextContents();
    const root = hashes.reduce(
      (own, hash, at) =>
        sides[at] === 'left'
          ? hashOf(1, Buffer.from(hash, 'base64'), own)
          : hashOf(1, own, Buffer.from(hash, 'base64')),
      hashOf(0, Buffer.from(proof.leaf, 'base64')),
    );
    expect(root.toString('base64')).to.equal(proof.checkpoint.split('\n')[2]);
    await page.getByText('The signed checkpoint').press('Enter');
    expect(await page.getByRole('region', { name: 'checkpoint' }).textContent()).to.equal(proof.checkpoint);
    await check('receipt-log');
  });

  for (const [index, size, steps] of [
    [0, 1, []],
    [2, 3, ['0–1 left']],
    [4, 7, ['5 right', '6 right', '0–3 left']],
    [9, 11, ['8 left', '10 right', '0–7 left']],
    [2 ** 40, 2 ** 40 + 2, [`${2 ** 40 + 1} right`, `0–${2 ** 40 - 1} left`]],
    [5, 3, []],
  ] as const)
    it(`name the entries behind each hash: entry ${index} of ${size}`, async () => {
      const { page, go } = await open('/runs');
      const document = await receipt();
      const proof = { ...document.proof, index, tree_size: size, hashes: steps.map((_, at) => `hash ${at}`) };
      const body = JSON.stringify({ ...document, proof });
      await page.route('**/receipts/*', (route) => route.fulfill({ contentType: 'application/json', body }));
      await go(`/receipts/${receiptId}`);
      await page.getByText('Show as a table').press('Enter');
      const rows = page.getByRole('region', { name: 'Inclusion path' }).locator('tbody tr');
      const texts = (await rows.allInnerTexts()).map((row) => row.replace(/\s+/g, ' ').trim());
      expect(texts).to.deep.equal(steps.map((step, at) => `${step} hash ${at}`));
    });

  it('hand out the receipt as it is: the raw envelope, and a file that verifies', async () => {
    const document = await receipt();
    const { page, check } = await open(`/receipts/${receiptId}`);
    await page.getByText('The envelope: what is signed').press('Enter');
    const envelope = await page.getByRole('region', { name: 'envelope' }).textContent();
    expect(JSON.parse(envelope ?? '')).to.deep.equal(document.envelope);
    await page.getByRole('button', { name: 'Copy envelope' }).waitFor();
    await check('receipt-raw');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).press('Enter'),
    ]);
    expect(file.suggestedFilename()).to.equal(`${receiptId}.json`);
    const saved = await readFile(await file.path(), 'utf8');
    expect(JSON.parse(saved).envelope).to.deep.equal(document.envelope);
    const verified = await site.platform.call('POST', '/receipts/verify', JSON.parse(saved));
    expect(verified.body.overall).to.equal('VERIFIED');
    expect(await page.getByRole('link', { name: 'Open the verify page' }).getAttribute('href')).to.match(/^\/verify/);
    expect(shown?.faults).to.deep.equal([]);
  });

  for (const [kind, said] of [
    ['key', /^A key that signs (certificates|the log|receipts) was created\.$/],
    ['provider', /^The provider spare was added\.$/],
    ['namespace', /^The namespace \w+ was granted\.$/],
  ] as const)
    it(`say what is attested of another kind: ${kind}`, async () => {
      const { page, check } = await open(`/receipts/${await firstOf(kind)}`);
      await page.getByRole('heading', { level: 1, name: `Receipt: ${kind}` }).waitFor();
      await page.getByText(said).waitFor();
      await page.getByText('VERIFIED', { exact: true }).waitFor();
      expect(await page.getByRole('heading', { name: 'Trust score' }).count()).to.equal(0);
      await check(`receipt-${kind}`);
    });

  it('say REJECTED when the receipt that the server sent is not what was signed', async () => {
    const { page, check, go } = await open('/runs');
    const text = JSON.stringify(await receipt());
    const body = text.replace(/"trust_score":\d+/, '"trust_score":99');
    expect(body).not.to.equal(text);
    await page.route('**/receipts/*', (route) => route.fulfill({ contentType: 'application/json', body }));
    await go(`/receipts/${receiptId}`);
    await page.getByText('REJECTED', { exact: true }).waitFor();
    await check('receipt-rejected');
  });

  it('are found by their ids, and say so when there is none', async () => {
    const { page, keys } = await open('/runs');
    await keys('/');
    await page.keyboard.type(receiptId);
    await keys('Enter');
    await page.getByRole('heading', { level: 1, name: 'Receipt: demo.echo' }).waitFor();
    await shown?.go(`/receipts/rec_${'0'.repeat(26)}`);
    await page.getByRole('alert').getByText('receipt_not_found').waitFor();
    await until(
      () => shown?.faults.splice(0).join() ?? '',
      (faults) => faults.includes('404'),
      'the fault that the browser reports',
    );
  });

  it('list what was attested, by name, and lead to each by keyboard', async () => {
    const { page, check, keys } = await open('/runs');
    await keys('g', 'v');
    await page.locator('h1:focus', { hasText: 'Receipts' }).waitFor();
    const table = page.getByRole('region', { name: 'Receipts', exact: true });
    await table.waitFor();
    const { receipts } = (await site.platform.call('GET', '/receipts')).body;
    const heads = await table.locator('tbody th').allInnerTexts();
    expect(heads).to.deep.equal(
      receipts.map(({ kind, orb_id }: { readonly kind: string; readonly orb_id?: string }) => orb_id ?? kind),
    );
    await check('receipts');
    await table.getByRole('link', { name: 'demo.echo@1.0.0' }).press('Enter');
    await page.locator('h1:focus', { hasText: 'Receipt: demo.echo@1.0.0 completed' }).waitFor();
    await page.getByRole('link', { name: 'Receipts' }).last().press('Enter');
    await page.locator('h1:focus', { hasText: 'Receipts' }).waitFor();
  });

  it('filter the list by what the API can filter, and page it', async () => {
    const { page, check } = await open('/receipts');
    const table = page.getByRole('region', { name: 'Receipts', exact: true });
    await page.locator('h1:focus', { hasText: 'Receipts' }).waitFor();
    const orbs = page.getByLabel('Orb', { exact: true });
    await orbs.getByRole('option', { name: 'demo.echo@1.0.0 (1)' }).waitFor({ state: 'attached' });
    await orbs.selectOption('demo.echo@1.0.0');
    await page.waitForURL(/orb=demo\.echo%401\.0\.0/);
    await until(
      () => table.locator('tbody tr').count(),
      (count) => count === 1,
      'the receipt of the Orb alone',
    );
    await page.getByLabel('Status of the run').selectOption('denied');
    await page.getByRole('heading', { name: 'No receipts match the filters' }).waitFor();
    await check('receipts-filtered');
    await page.getByRole('link', { name: 'Clear' }).press('Enter');
    await table.getByRole('link', { name: 'demo.echo@1.0.0' }).waitFor();
    const { receipts } = (await site.platform.call('GET', '/receipts')).body;
    await page.route(/\/receipts\?/, (route) =>
      route.continue({ url: route.request().url().replace('limit=50', 'limit=5') }),
    );
    await shown?.go('/runs');
    await shown?.go('/receipts');
    await page.getByRole('button', { name: 'Show older receipts' }).press('Enter');
    await until(
      () => table.locator('tbody tr').count(),
      (count) => count === receipts.length,
      'all receipts',
    );
    await page.getByRole('button', { name: 'Show older receipts' }).waitFor({ state: 'detached' });
    expect(shown?.faults).to.deep.equal([]);
  });

  it('print on one page, in black on white, with the whole report of the verification', async () => {
    const { page } = await open(`/receipts/${receiptId}`);
    await page.getByText('VERIFIED', { exact: true }).waitFor();
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    const colours = await page.evaluate<readonly string[]>(
      `[...new Set([...document.querySelectorAll('main :is(h1, p, dd, td, li)')].map((one) => getComputedStyle(one).color))]`,
    );
    expect(colours).to.deep.equal(['rgb(0, 0, 0)']);
    expect(await page.getByRole('navigation').first().isVisible()).to.equal(false);
    const printed = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
    expect(printed.match(/\/Type \/Page\b/g)).to.have.length(1);
    // The report was opened for it.
    expect(await page.locator('.verdict details[open]').count()).to.equal(1);
    expect(shown?.faults).to.deep.equal([]);
  });

  it('come into the list automatically', async () => {
    const { page } = await open('/receipts');
    await page.getByText('Live', { exact: true }).waitFor();
    // Rows wait while the pointer is in the table.
    await page.getByRole('heading', { level: 1 }).hover();
    const body = { orb_id: 'demo.echo@1.0.0', inputs: { text: 'live' } };
    const { receipt: made } = (await site.platform.call('POST', '/orbisets/default/execute', body)).body;
    await page.getByRole('row').filter({ hasText: made.receipt_id }).waitFor();
    expect(shown?.faults).to.deep.equal([]);
  });

  it('are not there for a key without their scope', async () => {
    const { page } = await open(
      `/receipts/${receiptId}`,
      await site.platform.key({ name: 'reader', scopes: ['runs:read'] }),
    );
    await page.getByText('It needs the scope receipts:read').waitFor();
  });
});
