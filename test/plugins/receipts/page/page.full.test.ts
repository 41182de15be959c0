import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import type { Reply } from '../../../../kernel/index.ts';
import type { ReceiptDocument } from '../../../../plugins/receipts/contract.ts';
import { browserOrSkip } from '../../../helpers/browser.ts';
import { newRun, startReceipts, temporaryDir, type Harness } from '../harness.ts';
import { signedText, vectorKeys, vectors } from '../sample.ts';
import { written } from '../../../helpers/written-page.ts';

const admin = { tenant: 'default', scopes: ['*'] };
const desktop = { width: 1280, height: 900 };
const phone = { width: 360, height: 740 };

describe('the page that verifies in the browser', () => {
  let dir: ReturnType<typeof temporaryDir>;
  let receipts: Harness;
  let browser: Browser;
  let server: Server;
  let url: string;
  let document: ReceiptDocument;
  const asked: string[] = [];
  const authorized: (string | undefined)[] = [];

  before(async function () {
    browser = await browserOrSkip(this);
    dir = temporaryDir();
    receipts = await startReceipts(dir.path);
    const { receipt_id: id } = await receipts.attest(newRun());
    await receipts.attest(newRun());
    document = (await receipts.call('/receipts/{receipt_id}', { receipt_id: id }, admin)) as ReceiptDocument;
    server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      const target = new URL(request.url ?? '', 'http://x');
      const wanted = target.pathname.startsWith('/receipts/')
        ? receipts.call('/receipts/{receipt_id}', { receipt_id: target.pathname.slice('/receipts/'.length) }, admin)
        : receipts.call('/verify', {}, undefined, Object.fromEntries(target.searchParams));
      authorized.push(request.headers.authorization);
      Promise.resolve(wanted).then(
        (answer) => {
          if (target.pathname !== '/verify') return void response.writeHead(200).end(JSON.stringify(answer));
          const { headers = {}, type = '' } = answer as Reply;
          const { body, headers: more } = written(answer as Reply);
          response.writeHead(200, { ...headers, ...more, 'content-type': type }).end(body);
        },
        (error: Error) => response.writeHead(404).end(JSON.stringify({ title: error.message })),
      );
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/verify`;
  });
  after(async () => {
    await (browser as Browser | undefined)?.close();
    (server as Server | undefined)?.close();
    await (receipts as Harness | undefined)?.stop();
    (dir as typeof dir | undefined)?.remove();
  });

  interface Opened {
    readonly page: Page;
    /** What went wrong, and what was asked for, since the page was there. */
    readonly faults: string[];
    readonly requests: string[];
  }

  async function open(address = url, viewport = desktop): Promise<Opened> {
    const page = await browser.newPage({ viewport });
    const faults: string[] = [];
    const requests: string[] = [];
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (message) => void (message.type() === 'error' && faults.push(message.text())));
    await page.goto(address);
    page.on('request', (request) => requests.push(request.url()));
    return { page, faults, requests };
  }

  const file = (name: string, content: string) => ({
    name,
    mimeType: 'application/json',
    buffer: Buffer.from(content),
  });
  async function choose({ page }: Opened, ...files: ReturnType<typeof file>[]): Promise<string> {
    await page.setInputFiles('#files', files);
    return (await page.locator('.overall').first().textContent({ timeout: 20_000 })) ?? '';
  }
  const failing = ({ page }: Opened) => page.locator('.check-fail code').allTextContents();
  const shot = async ({ page }: Opened, name: string): Promise<void> => {
    const folder = process.env['SCREENSHOTS'];
    if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  };

  it('verifies a receipt of its installation, and shows what was signed and what was checked', async () => {
    const opened = await open();
    await shot(opened, 'empty-desktop');
    expect(await choose(opened, file('receipt.json', JSON.stringify(document)))).to.equal('VERIFIED');
    const { page, faults } = opened;
    expect(await page.locator('.check-pass').count()).to.equal(document.checks.length - 1);
    expect(await page.locator('dl.facts').textContent()).to.include(document.receipt_id);
    expect(await failing(opened)).to.deep.equal([]);
    expect(faults).to.deep.equal([]);
    await shot(opened, 'verified-desktop');
    await page.setViewportSize(phone);
    await shot(opened, 'verified-phone');
    const wide = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    expect(wide).to.equal(0);
    await page.close();
  }).timeout(60_000);

  it('asks for nothing once it is there, and may not: its policy lets no connection out', async () => {
    asked.length = 0;
    const opened = await open();
    await choose(opened, file('receipt.json', JSON.stringify(document)));
    expect(asked).to.deep.equal(['GET /verify']);
    expect(opened.requests).to.deep.equal([]);
    const refused = await opened.page.evaluate(`fetch('/verify').then(() => 'let out', () => 'refused')`);
    expect(refused).to.equal('refused');
    expect(asked).to.deep.equal(['GET /verify']);
    await opened.page.close();
  }).timeout(60_000);

  it('rejects a tampered receipt, a bare summary and rubbish, each with its reason', async () => {
    const opened = await open();
    const edited = { ...document, trust_score: 99 };
    expect(await choose(opened, file('edited.json', JSON.stringify(edited)))).to.equal('REJECTED');
    expect(await failing(opened)).to.deep.equal(['readable_copy_matches']);
    await shot(opened, 'rejected-desktop');
    await opened.page.reload();
    const [signature] = document.envelope.signatures;
    const sig = `${signature?.sig.startsWith('A') === true ? 'B' : 'A'}${signature?.sig.slice(1)}`;
    const forged = { ...document, envelope: { ...document.envelope, signatures: [{ ...signature, sig }] } };
    expect(await choose(opened, file('forged.json', JSON.stringify(forged)))).to.equal('REJECTED');
    expect(await failing(opened)).to.deep.equal(['envelope']);
    await opened.page.reload();
    const { receipt_id } = document;
    expect(await choose(opened, file('summary.json', JSON.stringify({ receipt_id })))).to.equal('NOTHING-TO-VERIFY');
    await opened.page.reload();
    expect(await choose(opened, file('rubbish.json', '{"a":'))).to.equal('REJECTED');
    await opened.page.close();
  }).timeout(60_000);

  it('takes a key set that is dropped with a receipt, and gives it back', async () => {
    const opened = await open();
    const foreign = signedText(vectors.run_receipt.payload);
    expect(await choose(opened, file('foreign.json', foreign))).to.equal('REJECTED');
    expect(await failing(opened)).to.deep.equal(['key_trusted']);
    await opened.page.reload();
    const keys = file('jwks.json', JSON.stringify(vectorKeys));
    expect(await choose(opened, keys, file('foreign.json', foreign))).to.equal('VERIFIED');
    expect(await opened.page.locator('#trust-source').textContent()).to.include('jwks.json');
    await opened.page.click('#own-keys');
    expect(await opened.page.locator('#trust-source').textContent()).to.include('served with');
    await opened.page.close();
  }).timeout(60_000);

  it('verifies an envelope together with its proof file', async () => {
    const opened = await open();
    const keys = file('jwks.json', JSON.stringify(vectorKeys));
    const envelope = file('envelope.json', JSON.stringify(vectors.run_receipt.envelope));
    const proof = file('r.tlog-proof', vectors.run_receipt.tlog_proof);
    expect(await choose(opened, proof, envelope, keys)).to.equal('VERIFIED');
    await opened.page.close();
  }).timeout(60_000);

  it('shows markup of a receipt, and of a file’s name, as text', async () => {
    const opened = await open();
    const markup = `<img src=x onerror="document.title='taken'"><script>document.title='taken'</script>`;
    const payload = vectors.run_receipt.payload.replace(
      '"tenant":"default"',
      `"tenant":${JSON.stringify(`${markup}\u202e`)}`,
    );
    const keys = file('jwks.json', JSON.stringify(vectorKeys));
    expect(await choose(opened, keys, file(`${markup}.json`.replaceAll('/', ''), signedText(payload)))).to.equal(
      'VERIFIED',
    );
    const { page } = opened;
    expect(await page.locator('dl.facts').textContent()).to.include(markup);
    expect(await page.locator('dl.facts').textContent()).to.not.include('\u202e');
    expect(await page.locator('#results img, #results script').count()).to.equal(0);
    expect(await page.title()).to.equal('Verify a receipt · Agent Orb Platform');
    await shot(opened, 'markup-desktop');
    await page.close();
  }).timeout(60_000);

  it('works when it was saved to a file', async () => {
    const saved = join(dir.path, 'verify.html');
    writeFileSync(saved, written((await receipts.call('/verify', {})) as Reply).body);
    const opened = await open(pathToFileURL(saved).href, phone);
    await shot(opened, 'empty-phone');
    expect(await choose(opened, file('receipt.json', JSON.stringify(document)))).to.equal('VERIFIED');
    const edited = { ...document, trust_score: 99 };
    await opened.page.reload();
    expect(await choose(opened, file('edited.json', JSON.stringify(edited)))).to.equal('REJECTED');
    await shot(opened, 'rejected-phone');
    expect(opened.faults).to.deep.equal([]);
    await opened.page.close();
  }).timeout(60_000);

  it('verifies text that is pasted, and a sample by keys of its own, which are trusted for nothing else', async () => {
    const { page, faults } = await open();
    await page.getByText('Paste the receipt').click();
    await page.getByLabel('Receipt as JSON').fill(JSON.stringify(document));
    await page.getByRole('button', { name: 'Verify' }).click();
    expect(await page.locator('.overall').textContent()).to.equal('VERIFIED');
    await page.getByRole('button', { name: 'Try a sample' }).click();
    await page.getByText('Sample receipt, checked with the keys of the sample').waitFor();
    expect(await page.locator('.overall').textContent()).to.equal('VERIFIED');
    await page.getByLabel('Receipt as JSON').fill(signedText(vectors.run_receipt.payload));
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('Pasted text').waitFor();
    expect(await page.locator('.overall').textContent()).to.equal('REJECTED');
    expect(faults).to.deep.equal([]);
    await page.close();
  }).timeout(60_000);

  it('looks a receipt up by its id with a typed key, on a page of its own, and keeps the key nowhere', async () => {
    const { page, faults } = await open(`${url}?by=id`);
    await page.getByLabel('Id of the receipt').fill(document.receipt_id);
    await page.getByLabel('Key that may read it').fill('orb_test_typed');
    await page.keyboard.press('Enter');
    expect(await page.locator('.overall').textContent()).to.equal('VERIFIED');
    expect(authorized.at(-1)).to.equal('Bearer orb_test_typed');
    expect(await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]')).to.deep.equal([
      0,
      0,
      '',
    ]);
    const elsewhere = await page.evaluate(`fetch('http://127.0.0.1:1/').then(() => 'let out', (e) => String(e))`);
    expect(elsewhere).to.include('TypeError');
    expect(faults.filter((fault) => !fault.includes('127.0.0.1:1'))).to.deep.equal([]);
    await page.getByLabel('Id of the receipt').fill('rec_none');
    await page.keyboard.press('Enter');
    await page.getByText(/^404: /).waitFor();
    await page.close();
  }).timeout(60_000);

  it('can be used by keyboard alone, and tells a screen reader what it found', async () => {
    const { page } = await open();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.id')).to.equal('files');
    await page.setInputFiles('#files', [file('receipt.json', JSON.stringify(document))]);
    await page.locator('.overall').waitFor();
    expect(await page.evaluate('document.activeElement.id')).to.equal('results');
    expect(await page.locator('#results[aria-live="polite"]').count()).to.equal(1);
    await page.close();
  }).timeout(60_000);
});
