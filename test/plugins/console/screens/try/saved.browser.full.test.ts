import { expect } from 'chai';
import { until } from '../../../../helpers/until.ts';
import { startConsole, type ConsoleSite, type ConsoleWindow } from '../../helpers.ts';

const email = 'notify.email@1.0.0';
const text = `it's 100% "right" & <b>new</b>\nsecond # line`;

describe('samples and saved requests', function () {
  this.timeout(120_000);
  let site: ConsoleSite;
  let shown: ConsoleWindow;
  before(async function () {
    site = await startConsole(this);
    shown = await site.open(`/try?orb_id=${email}`);
  });
  after(async () => {
    await shown?.close();
    await site?.close();
  });

  it('fill the form by one click: one line for a short text, several for a long one', async () => {
    const { page } = shown;
    await page.getByRole('button', { name: 'Sample', exact: true }).click();
    expect(await page.getByLabel('to', { exact: true }).inputValue()).to.equal('ada@example.com');
    const tagOf = (label: string) => page.getByLabel(label, { exact: true }).evaluate((field) => field.localName);
    expect(await Promise.all(['to', 'from_address', 'subject', 'body'].map(tagOf))).to.deep.equal([
      ...['input', 'input', 'input', 'textarea'],
    ]);
    await shown.check('try-sample');
    await page.getByRole('button', { name: 'Run the test' }).click();
    await page.getByRole('region', { name: 'Result' }).getByText('completed').waitFor();
  });

  it('are kept in the address, which fills the form again and starts nothing', async () => {
    const { page } = shown;
    await page.getByLabel('body', { exact: true }).fill(text);
    await page.getByRole('button', { name: 'Save as a link' }).click();
    const link = page.getByRole('region', { name: 'link to this request' });
    const address = (await link.textContent()) ?? '';
    expect(address).to.equal(page.url());
    await shown.check('try-saved');
    // What is typed since is not what the link holds.
    await page.getByLabel('subject', { exact: true }).fill('other');
    await link.waitFor({ state: 'detached' });
    const runs = async () => (await site.platform.call('GET', '/runs')).body.runs.length as number;
    const before = await runs();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.reload();
    await until(
      () => page.getByLabel('body', { exact: true }).inputValue(),
      (value) => value === text,
      'the inputs of the link',
    );
    expect(await page.getByLabel('subject', { exact: true }).inputValue()).to.equal('Hello from Agent Orb');
    expect(await page.title()).to.include('Try Send an e-mail');
    expect(await page.getByRole('radio', { name: /^Test/ }).isChecked()).to.equal(true);
    expect(asked.filter((url) => url.includes('second'))).to.deep.equal(asked.filter((url) => url === address));
    expect(await runs()).to.equal(before);
    await page.getByLabel('Orb', { exact: true }).selectOption('demo.echo@1.0.0');
    await page.getByLabel('text', { exact: true }).waitFor();
    expect(new URL(page.url()).hash).to.equal('');
    expect(await page.getByLabel('text', { exact: true }).inputValue()).to.equal('');
  });

  it('are refused where they are too long for a link', async () => {
    const { page } = shown;
    await page.getByLabel('text', { exact: true }).fill('x'.repeat(9000));
    await page.getByText('The inputs are too long for a link.').waitFor();
    expect(await page.getByRole('button', { name: 'Save as a link' }).isDisabled()).to.equal(true);
    expect(shown.faults).to.deep.equal([]);
  });
});
