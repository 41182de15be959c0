import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { browserOrSkip } from '../../../helpers/browser.ts';
import { until } from '../../../helpers/until.ts';
import { ask, startApproving, type Approving } from '../../approvals/started.ts';
import { openWindow, signIn, type ConsoleWindow } from '../helpers.ts';

/** Signs of direction, invisible ones, a control character, and a letter of Cyrillic in a Latin word. */
const deceiving = 'pay \u202eevil\u202c to\u200b ad\u0430@example.com\u0007 "now"\nthen \\u202e';

describe('the approvals of the console', function () {
  this.timeout(120_000);
  let browser: Browser;
  let office: Approving;
  let ada: ConsoleWindow;

  const open = async (key: string, path: string): Promise<ConsoleWindow> => {
    const shown = await openWindow(office.platform(), browser);
    await signIn(shown.page, office.platform(), key);
    await shown.go(path);
    return shown;
  };
  const hold = async (inputs: object, more: object = {}) => {
    office.asking.asks = [ask(more)];
    const { status, body } = await office.execute(inputs);
    expect(status, JSON.stringify(body)).to.equal(202);
    return body as { readonly run_id: string; readonly approval: { readonly id: string } };
  };
  const statusOf = async (run: string) => (await office.call('GET', `/runs/${run}`)).body.status as string;
  const dialog = () => ada.page.getByRole('dialog');

  before(async function () {
    browser = await browserOrSkip(this);
    office = await startApproving((ids) => ({
      groups: { office: [ids.ada, ids.bob, ids.agent], board: [ids.ada] },
    }));
    ada = await open(office.keys.ada, '/approvals');
  });
  after(async () => {
    await browser?.close();
    await office?.stop();
  });

  it('say that nothing waits, and show a new one at once', async () => {
    await ada.page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor();
    await ada.check('approvals-none');
    await hold({ text: 'first' });
    await ada.page.getByRole('link', { name: 'demo.echo@1.0.0' }).waitFor();
    await ada.check('approvals');
  });

  it('are reached from what needs attention, and show exactly what would be executed', async () => {
    const { page } = ada;
    const inputs = { text: deceiving };
    const { run_id, approval } = await hold(inputs, { message: `mail to \u202eelsewhere`, bind: 'provider' });
    await ada.go('/');
    const panel = page.locator('section').filter({ hasText: 'Open approvals' });
    await panel.getByText(approval.id).waitFor();
    await panel.getByRole('listitem').filter({ hasText: approval.id }).getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: 'demo.echo@1.0.0' }).waitFor();
    const shown = page.getByRole('region', { name: 'Inputs' });
    const labels = await shown.locator('mark').allInnerTexts();
    expect(labels.map((text) => /U\+[0-9A-F]{4}/.exec(text)?.[0])).to.deep.equal([
      ...['U+202E', 'U+202C', 'U+200B', 'U+0430', 'U+0007'],
    ]);
    // Without the marks it is the JSON that is executed; a text that only looks like an escape has no mark.
    const plain = await page.evaluate<string>(`(() => {
      const copy = document.querySelector('[aria-label="Inputs"]').cloneNode(true);
      for (const one of copy.querySelectorAll('mark')) {
        const code = parseInt(/U\\+([0-9A-F]{4})/.exec(one.textContent)[1], 16);
        one.replaceWith(JSON.stringify(String.fromCodePoint(code)).slice(1, -1));
      }
      return copy.textContent;
    })()`);
    expect(JSON.parse(plain)).to.deep.equal(inputs);
    expect(await page.locator('main').textContent()).not.to.match(/[\u202a-\u202e\u200b]/);
    const { body } = await office.call('GET', `/approvals/${approval.id}`);
    const text = await page.locator('main').innerText();
    const { manifest_digest, providers, inputs: committed } = body.bound;
    for (const value of [body.digest, manifest_digest, providers[0].name, providers[0].config_digest, run_id])
      expect(text).to.contain(value);
    for (const value of [
      committed.commitment,
      `${committed.size} bytes`,
      office.ids.agent,
      'at most once',
      'outside_address',
    ])
      expect(text).to.contain(value);
    expect(text).to.contain('Policy mail. Group office: 0 of 1 approved. A change of provider ends the approval.');
    await ada.check('approval');
  });

  it('are approved by the keyboard alone, with a comment', async () => {
    const { page, keys } = ada;
    const { run_id, approval } = await hold({ text: 'by keys' });
    await ada.go('/');
    await keys('g', 'a');
    await page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor();
    await ada.go(`/approvals/${approval.id}`);
    await page.getByRole('button', { name: 'Approve' }).focus();
    await keys('Enter');
    await dialog().getByLabel('Comment').waitFor();
    await page.keyboard.type('known to us');
    await ada.check('approval-decide');
    await dialog().getByRole('button', { name: 'Approve' }).focus();
    await keys('Enter');
    await page.getByRole('heading', { name: /^Approved/ }).waitFor();
    await page.getByText('known to us').waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).to.equal(0);
    await until(
      () => statusOf(run_id),
      (status) => status === 'completed',
    );
    const { body } = await office.call('GET', `/approvals/${approval.id}`);
    expect(body.decisions[0]).to.include({ auth: 'session', surface: 'console', comment: 'known to us' });
    await page.getByText('Shown while the run is held.').waitFor();
    await ada.check('approval-ended');
  });

  it('are refused after a dialog that says what it does, and live in other windows', async () => {
    const { run_id, approval } = await hold({ text: 'no' });
    const bob = await open(office.keys.bob, `/approvals/${approval.id}`);
    await ada.go('/approvals');
    await ada.go(`/approvals/${approval.id}`);
    await ada.page.getByText('Same Orb and requester: 1 approved, 0 refused.').waitFor();
    await ada.page
      .getByText(/^Same Orb and reasons, last 30 days: \d+ approved, \d+ refused, \d+ expired\.$/)
      .waitFor();
    await bob.page.getByRole('button', { name: 'Refuse' }).click();
    await bob.page.getByText('One refusal is enough.').waitFor();
    await bob.page.getByRole('button', { name: 'Cancel' }).click();
    expect(await statusOf(run_id)).to.equal('held');
    await bob.page.getByRole('button', { name: 'Refuse' }).click();
    await bob.page.getByRole('dialog').getByRole('button', { name: 'Refuse' }).click();
    await bob.page.getByRole('heading', { name: /^Refused/ }).waitFor();
    await ada.page.getByRole('heading', { name: /^Refused/ }).waitFor();
    expect(await ada.page.getByRole('button', { name: 'Approve' }).count()).to.equal(0);
    await until(
      () => statusOf(run_id),
      (status) => status === 'denied',
    );
    await bob.close();
  });

  it('are decided in the list: one, with its inputs in words, by keyboard alone', async () => {
    const { page, keys } = ada;
    const { run_id, approval } = await hold({ text: deceiving });
    await ada.go('/approvals');
    const row = page.getByRole('row').filter({ has: page.getByLabel(`Select approval ${approval.id}`) });
    await row.waitFor();
    expect((await row.innerText()).replace(/\s+/g, ' ')).to.contain('mail office');
    await row.getByRole('button', { name: 'Approve' }).focus();
    await keys('Enter');
    await dialog().getByText('runs once with exactly the inputs shown here').waitFor();
    await dialog().getByText('Policy mail, group office.').waitFor();
    await dialog()
      .getByRole('region', { name: `Inputs of ${approval.id}` })
      .waitFor();
    expect(await dialog().locator('mark').count()).to.be.above(3);
    await ada.check('approvals-decide');
    await dialog().getByRole('button', { name: 'Approve', exact: true }).focus();
    await keys('Enter');
    await dialog().waitFor({ state: 'detached' });
    await row.waitFor({ state: 'detached' });
    await until(
      () => statusOf(run_id),
      (status) => status === 'completed',
    );
  });

  it('are decided in the list: several, each in words; one that cannot be decided stays in sight, with why', async () => {
    const { page, faults } = ada;
    const runs = [
      await hold({ text: 'several 1' }),
      await hold({ text: 'several 2' }),
      await hold({ text: 'several 3' }),
    ];
    await ada.go('/');
    await ada.go('/approvals');
    for (const { approval } of runs) await page.getByLabel(`Select approval ${approval.id}`).check();
    // Another person was faster; this page is told of it while the dialog is open.
    const late = runs[2]?.approval.id ?? '';
    await page.route(`**/approvals/${late}/decision`, async (route) => {
      await office.decide(late, 'bob', 'approve');
      await route.continue();
    });
    await page.getByRole('button', { name: 'Refuse selected (3)' }).click();
    for (const { approval } of runs)
      await dialog()
        .getByRole('region', { name: `Inputs of ${approval.id}` })
        .waitFor();
    await ada.check('approvals-several');
    await dialog().getByLabel('Comment').fill('not today');
    await dialog().getByRole('button', { name: 'Refuse 3' }).click();
    await dialog().getByRole('alert').waitFor();
    await until(
      () => dialog().getByText('Decided.').count(),
      (count) => count === 2,
    );
    for (const { approval } of runs.slice(0, 2)) {
      const { body } = await office.call('GET', `/approvals/${approval.id}`);
      expect(body.state).to.equal('refused');
      expect(body.decisions[0]).to.include({ auth: 'session', surface: 'console', comment: 'not today' });
    }
    expect((await office.call('GET', `/approvals/${late}`)).body.state).to.equal('approved');
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await page.unroute(`**/approvals/${late}/decision`);
    faults.splice(0, faults.length, ...faults.filter((fault) => !fault.includes('status of 409')));
    expect(faults).to.deep.equal([]);
  });

  it('say in a sentence why a decision came too late', async () => {
    const { page, faults } = ada;
    const { approval } = await hold({ text: 'late' });
    await ada.go('/approvals');
    await ada.go(`/approvals/${approval.id}`);
    await page.getByRole('button', { name: 'Approve' }).click();
    await dialog().waitFor();
    // The page does not hear of the decision before the person sends its own.
    await page.route('**/decision', async (route) => {
      await office.decide(approval.id, 'bob', 'refuse');
      await route.continue();
    });
    await dialog().getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('alert').filter({ hasText: 'nothing was changed' }).first().waitFor();
    await page.getByRole('heading', { name: /^Refused/ }).waitFor();
    await dialog().waitFor({ state: 'detached' });
    await page.getByRole('alert').filter({ hasText: 'nothing was changed' }).waitFor();
    await page.unroute('**/decision');
    faults.splice(0, faults.length, ...faults.filter((fault) => !fault.includes('status of 409')));
    expect(faults).to.deep.equal([]);
  });

  it('are not decided by the requester, nor by one who is not asked', async () => {
    const { approval } = await hold({ text: 'own' });
    for (const key of [office.keys.agent, office.platform().adminKey]) {
      const shown = await open(key, `/approvals/${approval.id}`);
      await shown.page.getByText(/^You cannot decide/).waitFor();
      expect(await shown.page.getByRole('button', { name: 'Approve' }).count()).to.equal(0);
      await shown.close();
    }
  });

  it('are listed by status and group', async () => {
    const { page } = ada;
    const rows = () => page.locator('tbody tr').count();
    await hold({ text: 'of the board' }, { approvers: 'board' });
    await ada.go('/approvals');
    await page.getByLabel('Group').selectOption('board');
    await until(rows, (count) => count === 1);
    await page.getByLabel('Status').selectOption('ended');
    await page.getByRole('heading', { name: 'No approvals match the filters' }).waitFor();
    await page.getByLabel('Group').selectOption('');
    await until(rows, (count) => count === 7);
    expect(await page.locator('tbody').innerText())
      .to.contain('approved')
      .and.contain('refused');
    await ada.check('approvals-ended');
  });

  it('offer no decision when what is shown is not what the digest is of', async () => {
    const { page } = ada;
    const { approval } = await hold({ text: 'changed' });
    const { body } = await office.call('GET', `/approvals/${approval.id}`, undefined, office.keys.ada);
    expect(body.may_decide).to.equal(true);
    await page.route(`**/approvals/${approval.id}`, (route) =>
      route.fulfill({ json: { ...body, inputs: { text: 'changed on its way' } } }),
    );
    await ada.go('/approvals');
    await ada.go(`/approvals/${approval.id}`);
    await page.getByText('Do not decide; tell an operator.').waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).to.equal(0);
    await page.unroute(`**/approvals/${approval.id}`);
  });
});
