import { expect } from 'chai';
import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shippedFolder } from '../../../../plugins/policy/shipped.ts';
import { compilerOrSkip } from '../../policy/compiler.ts';
import { startConsole, type ConsoleSite, type ConsoleWindow } from '../helpers.ts';

const faulty = `package orb.policies.no_tests

deny contains "not for tests" if {
	input.subjekt.mode == "test"
}
`;
const good = faulty.replace('subjekt', 'subject');
const tests = `package no_tests_test

import data.orb.policies.no_tests

test_denies if count(no_tests.deny) == 1 with input as {"subject": {"mode": "test"}}
`;

describe('the policies of the console', () => {
  let site: ConsoleSite;
  let shown: ConsoleWindow;

  before(async function () {
    compilerOrSkip(this);
    const home = mkdtempSync(join(tmpdir(), 'orb-console-policies-'));
    cpSync(shippedFolder, join(home, 'policies'), { recursive: true });
    site = await startConsole(this, { home });
    const { platform } = site;
    const key = await platform.key({ name: 'test', scopes: ['orbs:execute'], mode: 'test' });
    const run = { orb_id: 'demo.echo@1.0.0', inputs: { text: 'hello' } };
    for (let round = 0; round < 3; round += 1) await platform.call('POST', '/orbisets/default/execute', run, key);
    await platform.call('POST', '/orbisets/default/execute', run);
    shown = await site.open('/policies');
  });
  after(() => site?.close());

  // That the server refuses is what these steps are about; the browser writes each refusal into its console.
  const refused = (status: number): void => {
    const at = shown.faults.findIndex((text) => text.includes(`status of ${status}`));
    expect(at, `an answer ${status}`).not.to.equal(-1);
    shown.faults.splice(at, 1);
  };
  const giveKey = async (): Promise<void> => {
    await shown.page
      .getByRole('dialog', { name: 'Enter your key again' })
      .getByLabel('API key')
      .fill(site.platform.adminKey);
    await shown.page.getByRole('button', { name: 'Continue' }).click();
  };
  const inForce = async (id: string): Promise<unknown> =>
    (await site.platform.call('GET', `/policies/${id}`)).body.active as unknown;

  it('lists the active policies and the state of the engine', async () => {
    const { page } = shown;
    await page.getByRole('link', { name: 'execute_by_scope' }).waitFor();
    await page.getByText('operational').waitFor();
    await shown.check('policies-list');
  });

  it('names file and line of a fault, and leads there', async () => {
    const { page } = shown;
    await page.getByRole('link', { name: 'New policy' }).click();
    await page.getByLabel('Name').fill('No tests');
    await page.getByText('Use lower-case letters').waitFor();
    await shown.check('policies-new');
    await page.getByLabel('Name').fill('no_tests');
    await page.getByRole('button', { name: 'Continue' }).click();
    expect(await page.getByLabel('Rego').inputValue()).to.match(/^package orb\.policies\.no_tests\n/);
    await page.getByLabel('Rego').fill(faulty);
    await page.getByRole('button', { name: 'Check and save draft' }).click();
    const place = page.getByRole('button', { name: 'no_tests.rego:4:2' });
    await place.click();
    refused(422);
    const selected = `(() => { const field = document.activeElement; return field.value.slice(field.selectionStart, field.selectionEnd) })()`;
    expect(await page.evaluate(selected)).to.equal('\tinput.subjekt.mode == "test"');
    expect(await page.locator('.editor-marked').allTextContents()).to.deep.equal(['4']);
    await shown.check('policies-fault');
  });

  it('keeps what is typed when another screen is shown', async () => {
    const { page } = shown;
    await page.getByLabel('Rego').fill(good);
    await page.getByRole('link', { name: 'Policies', exact: true }).first().click();
    await page.getByRole('link', { name: 'New policy' }).click();
    await page.getByLabel('Name').fill('no_tests');
    await page.getByRole('button', { name: 'Continue' }).click();
    expect(await page.getByLabel('Rego').inputValue()).to.equal(good);
    await page.getByText('Not saved yet').waitFor();
    await page.getByLabel('Tests').fill(tests);
    await page.getByRole('button', { name: 'Check and save draft' }).click();
    await page.getByText('This is a draft. It is not active').waitFor();
    await shown.check('policies-draft');
  });

  it('tests, replays and compares the drafts', async () => {
    const { page } = shown;
    await page.getByRole('link', { name: 'Review and activate' }).first().click();
    await page.getByRole('button', { name: 'Run the tests' }).click();
    await page.getByText(/^(\d+) of \1 tests passed$/).waitFor();
    await page.getByText(/^\d+ tests passed$/).click();
    await page.getByRole('button', { name: 'Replay' }).click();
    await page
      .locator('.sentence', { hasText: 'Of 4 decisions, the drafts would have denied 3 and allowed 0 more.' })
      .waitFor();
    await page.getByText('+	input.subject.mode == "test"').waitFor();
    await shown.check('policies-review');
    await page.locator('.ids a').first().click();
    await page.getByRole('heading', { name: 'Decision', exact: true }).waitFor();
    await page.getByText('"mode": "test"').waitFor();
    await shown.check('policies-decision');
  });

  it('activates by the key alone, and rolls back', async () => {
    const { page } = shown;
    await shown.go('/policies/-/drafts');
    await page.getByRole('button', { name: 'Activate 1 draft' }).click();
    await page.getByLabel('Reason').fill('tests stay out');
    await shown.check('policies-activate');
    await page.getByRole('dialog').getByRole('button', { name: 'Activate 1 draft' }).click();
    await giveKey();
    await page
      .getByRole('row', { name: /no_tests/ })
      .getByText('active', { exact: true })
      .waitFor();
    expect(await inForce('no_tests')).to.equal(true);
    await page.getByRole('link', { name: 'Revisions' }).click();
    await page.getByText('tests stay out').waitFor();
    await page.getByRole('table').locator('a').first().click();
    await page.getByText('removed').first().waitFor();
    await shown.check('policies-revisions');
    await page.getByRole('button', { name: 'Roll back' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).waitFor();
    // Without a field the focus begins at what does nothing.
    expect(await page.evaluate('document.activeElement?.textContent')).to.equal('Cancel');
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
    await giveKey();
    await page.getByText('The previous revision is active').waitFor({ state: 'attached' });
    expect(await inForce('no_tests')).to.equal(undefined);
  });

  it('writes, reviews and activates a draft by the keyboard alone', async () => {
    const { page, keys } = shown;
    await shown.go('/');
    await keys('g', 'l');
    await page.getByRole('link', { name: 'swap_healthy' }).focus();
    await keys('Enter');
    await page.getByLabel('Rego').focus();
    await keys('Control+End');
    await page.keyboard.type('\n# reviewed\n');
    await page.getByRole('button', { name: 'Check and save draft' }).focus();
    await keys('Enter');
    await page.getByText('The draft is saved. It is not active yet.').waitFor();
    await page.getByRole('link', { name: 'Review and activate' }).last().focus();
    await keys('Enter');
    await page.getByRole('button', { name: 'Activate 1 draft' }).focus();
    await keys('Enter');
    const submit = page.getByRole('dialog').getByRole('button', { name: 'Activate 1 draft' });
    await submit.waitFor();
    await submit.focus();
    await keys('Enter');
    await page.getByRole('dialog', { name: 'Enter your key again' }).waitFor();
    await page.getByRole('dialog', { name: 'Enter your key again' }).getByLabel('API key').focus();
    await page.keyboard.type(site.platform.adminKey);
    await keys('Enter');
    await page.getByText('The drafts are active').waitFor({ state: 'attached' });
    expect((await site.platform.call('GET', '/policies/swap_healthy')).body.source).to.contain('# reviewed');
    await shown.check('policies-after');
  });

  describe('a draft that somebody else saves meanwhile', () => {
    const id = 'execute_by_scope';
    const rego = () => shown.page.getByLabel('Rego');
    const stored = async () => (await site.platform.call('GET', `/policies/${id}`)).body;
    const theirs = async (text: string): Promise<void> => {
      const source = `${(await stored()).source}\n# ${text}\n`;
      expect((await site.platform.call('PUT', `/policies/${id}`, { source })).status).to.be.below(300);
    };
    const save = () => shown.page.getByRole('button', { name: 'Check and save draft' }).click();
    const notice = () => shown.page.getByText('The stored draft has changed since you opened it');
    const add = async (text: string): Promise<void> => rego().fill(`${await rego().inputValue()}\n# ${text}\n`);

    it('is not replaced by what was typed before and kept: the reader chooses', async () => {
      const { page } = shown;
      await shown.go(`/policies/${id}`);
      await add('mine');
      await shown.go('/policies');
      await theirs('theirs');
      await page.getByRole('link', { name: id }).click();
      await notice().waitFor();
      expect(await rego().inputValue()).to.include('# mine');
      await shown.check('policies-overtaken');
      await save();
      await page.getByRole('alert').getByText('precondition_failed').waitFor();
      refused(412);
      expect((await stored()).waiting.source).to.include('# theirs');
      await page.getByRole('button', { name: 'Keep my changes' }).click();
      await save();
      await page.getByText('The draft is saved. It is not active yet.').waitFor();
      expect((await stored()).waiting.source)
        .to.include('# mine')
        .and.not.include('# theirs');
    });

    it('is shown when a save was refused, and can be taken', async () => {
      const { page } = shown;
      await shown.go(`/policies/${id}`);
      await add('mine again');
      await theirs('theirs again');
      await save();
      await notice().waitFor();
      refused(412);
      await page.getByRole('button', { name: 'Use the stored draft' }).click();
      expect(await rego().inputValue())
        .to.include('# theirs again')
        .and.not.include('# mine');
      expect(await page.getByText('Not saved yet').count()).to.equal(0);
      for (const text of ['on top', 'and once more']) {
        await add(text);
        expect(await notice().count()).to.equal(0);
        await save();
        await page.getByText('The draft is saved. It is not active yet.').waitFor();
        expect((await stored()).waiting.source)
          .to.include('# theirs again')
          .and.include(`# ${text}`);
      }
    });
  });

  it('formats only what is still as it was sent', async () => {
    const { page } = shown;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    await page.route('**/policies/format', async (route) => {
      await promise;
      await route.continue();
    });
    await shown.go('/policies/swap_healthy');
    const [rego, own] = [page.getByLabel('Rego'), page.getByLabel('Tests')];
    const source = await rego.inputValue();
    await rego.fill(`${source}\n\n\n# spaced\n\n\n`);
    const inTests = `${await own.inputValue()}\n\n\n# spaced\n\n\n`;
    await own.fill(inTests);
    await page.getByRole('button', { name: 'Format' }).click();
    await rego.fill(`${source}# typed\n`);
    resolve(undefined);
    await page.getByText('Formatted', { exact: true }).waitFor({ state: 'attached' });
    expect(await rego.inputValue()).to.equal(`${source}# typed\n`);
    expect(await own.inputValue()).not.to.equal(inTests);
    await page.getByRole('button', { name: 'Discard my changes' }).click();
    expect(shown.faults).to.deep.equal([]);
  });
});
