import { expect } from 'chai';
import { until } from '../../../helpers/until.ts';
import { startConsole, type ConsoleSite, type ConsoleWindow } from '../helpers.ts';

describe('the incidents of the console', () => {
  let site: ConsoleSite;
  let shown: ConsoleWindow;

  before(async function () {
    site = await startConsole(this);
    shown = await site.open('/incidents');
  });
  after(() => site?.close());

  const api = (method: string, path: string, body?: unknown) => site.platform.call(method, path, body);
  const dialog = () => shown.page.getByRole('dialog');

  it('says what to do when there is none', async () => {
    await shown.page.getByText('No incidents match the filters').waitFor();
    await shown.check('incidents-none');
    await shown.go('/incidents?state=all');
    await shown.page.getByText('No incidents yet').waitFor();
  });

  it('opens one, which others see at once', async () => {
    const { page } = shown;
    const other = await site.open('/incidents');
    await page.getByRole('button', { name: 'Open an incident' }).click();
    await dialog().getByText('Enter a title.').waitFor();
    await dialog().getByLabel('Title').fill('Mail is slow <img src=x onerror=alert(1)>');
    await dialog().getByLabel('Runtime').check();
    await dialog().getByLabel('Orbs and providers').fill('orb notify.email@1.0.0\nfoo');
    await dialog().getByText('“foo” is neither').waitFor();
    await shown.check('incidents-open');
    await dialog().getByLabel('Orbs and providers').fill('orb notify.email@1.0.0');
    await dialog().getByRole('button', { name: 'Open an incident' }).click();
    await page.getByRole('heading', { name: 'Mail is slow' }).waitFor();
    await other.page.getByRole('link', { name: 'Mail is slow' }).waitFor({ timeout: 5000 });
    await other.check('incidents-list');
    await other.close();
    const [incident] = (await api('GET', '/incidents')).body.incidents;
    expect(incident.scope).to.deep.equal([
      { kind: 'component', id: 'runtime' },
      { kind: 'orb', id: 'notify.email@1.0.0' },
    ]);
  });

  it('writes a public note with a title, as the preview shows it', async () => {
    const { page } = shown;
    await page.getByRole('button', { name: 'Add a note' }).click();
    await dialog().getByLabel('Public', { exact: true }).check();
    await dialog().getByLabel('Public title').fill('Mail is delayed');
    await dialog().getByLabel(/^Note/).fill('We know why.\nIt takes an hour.');
    await dialog().getByLabel('Phase').selectOption('identified');
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByRole('heading', { name: 'Mail is delayed' }).waitFor();
    expect(await preview.innerText())
      .to.contain('identified')
      .and.to.contain('It takes an hour.');
    await shown.check('incidents-note');
    await dialog().getByRole('button', { name: 'Add a note' }).click();
    await page.getByText('Public note, identified').waitFor();
    const entry = await until(
      async () => (await api('GET', '/status')).body.incidents[0],
      (found) => found?.title === 'Mail is delayed',
      'the public title',
    );
    expect(entry.updates.at(-1)).to.include({ status: 'identified', message: 'We know why.\nIt takes an hour.' });
  });

  it('walks from the changes to what proves them', async () => {
    const { page } = shown;
    await page.getByText('Change 1: opened').click();
    await page.getByText(/^VERIFIED/).waitFor();
    await page.getByText('None. No alert of a source caused this incident.').waitFor();
    await shown.check('incidents-one');
  });

  it('acknowledges, writes a public note and resolves by the keyboard alone', async () => {
    const { page, keys } = shown;
    await shown.go('/');
    await keys('g', 'i');
    await page.getByRole('link', { name: 'Mail is slow' }).focus();
    await keys('Enter');
    await page.getByRole('button', { name: 'Acknowledge' }).focus();
    await keys('Enter');
    await dialog().getByRole('button', { name: 'Acknowledge' }).focus();
    await keys('Enter');
    await page.getByRole('heading', { name: /^Acknowledged/ }).waitFor();
    await dialog().waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Add a note' }).focus();
    await keys('Enter');
    // The focus begins at the first field: whether the note is public.
    await dialog().getByLabel('Public', { exact: true }).waitFor();
    await keys('Space', 'Tab');
    await page.keyboard.type('Mail is on time again');
    await keys('Tab', 'Tab');
    await page.keyboard.type('The queue is short.');
    await dialog().getByRole('button', { name: 'Add a note' }).focus();
    await keys('Enter');
    await page.getByText('The queue is short.', { exact: true }).waitFor();
    // The note may come by the events before the answer closes the dialog, which then gives the focus back.
    await dialog().waitFor({ state: 'hidden' });
    await page.locator('button:focus', { hasText: 'Add a note' }).waitFor();
    await page.getByRole('button', { name: 'Resolve' }).focus();
    await keys('Enter');
    await dialog().getByLabel('Reason').focus();
    await page.keyboard.type('the queue is short again');
    await dialog().getByRole('button', { name: 'Resolve' }).focus();
    await keys('Enter');
    await page.getByRole('heading', { name: /^Resolved/ }).waitFor();
    expect(await page.getByRole('button', { name: 'Resolve' }).count()).to.equal(0);
    const [incident] = (await api('GET', '/incidents')).body.incidents;
    expect(incident).to.include({ state: 'resolved', reason: 'the queue is short again' });
  });

  it('retracts only after the word', async () => {
    const { page } = shown;
    await page.getByRole('button', { name: 'Retract' }).click();
    await dialog().getByLabel('Reason').fill('a drill');
    expect(await dialog().getByRole('button', { name: 'Retract' }).isDisabled()).to.equal(true);
    await dialog().getByLabel('Type “retract”').fill('retract');
    await shown.check('incidents-retract');
    await dialog().getByRole('button', { name: 'Retract' }).click();
    await page.getByRole('heading', { name: /^Retracted/ }).waitFor();
    expect((await api('GET', '/incidents')).body.incidents[0].retracted).to.equal(true);
    await shown.check('incidents-over');
  });

  it('walks on to the delivery of an alert', async () => {
    const { page } = shown;
    const binding = { kind: 'component', id: 'runtime' };
    const made = await api('POST', '/sources', { name: 'x', vendor: 'generic', auth: { scheme: 'url' }, binding });
    const alert = { id: 'a1', type: 'disk', time: new Date().toISOString(), state: 'firing', severity: 'high' };
    await fetch(`${site.platform.url}/hooks/${made.body.token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...alert, title: 'The disk is full' }),
    });
    // A delivery is read after its answer, and a list that stands holds new rows back.
    await until(
      async () => JSON.stringify((await api('GET', '/incidents')).body),
      (listed) => listed.includes('The disk is full'),
      'the incident',
    );
    await shown.go('/incidents');
    await page.getByRole('link', { name: 'The disk is full' }).click();
    await page.getByText('sent to a secret address').click();
    await page.getByText('The disk is full: firing').waitFor();
    await shown.check('incidents-delivery');
    const link = page.locator('.walk a').first();
    const [delivery] = (await api('GET', '/deliveries')).body.deliveries;
    expect(await link.textContent()).to.equal(delivery.delivery_id);
    await link.click();
    await page.getByRole('heading', { level: 1, name: /delivery/i }).waitFor();
  });

  it('plans, changes and ends maintenance', async () => {
    const { page } = shown;
    await shown.go('/maintenance');
    await page.getByText('No planned maintenance').waitFor();
    await page.getByRole('button', { name: 'Plan a window' }).click();
    await dialog().getByLabel('Title').fill('A new disk');
    await dialog().getByLabel('Ingestion').check();
    await shown.check('maintenance-plan');
    await dialog().getByRole('button', { name: 'Plan a window' }).click();
    await page.getByRole('button', { name: 'Change' }).click();
    await dialog().getByLabel('Title').fill('Two new disks');
    await dialog().getByRole('button', { name: 'Change' }).click();
    await page.getByText('Two new disks').waitFor();
    await shown.check('maintenance-list');
    const [window] = (await api('GET', '/maintenance')).body.windows;
    expect(window).to.include({ title: 'Two new disks' });
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog().getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No planned maintenance').waitFor();
    expect((await api('GET', '/maintenance')).body.windows).to.deep.equal([]);
  });
});
