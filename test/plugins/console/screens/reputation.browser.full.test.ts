import { expect } from 'chai';
import type { Route } from 'playwright-core';
import type { Clock } from '../../../../kernel/index.ts';
import { createRecorder, recordOrb } from '../../../helpers/recorder.ts';
import { until } from '../../../helpers/until.ts';
import { createProbe } from '../../ledger/probe.ts';
import { openWindow, signIn, startConsole, type ConsoleSite, type ConsoleWindow } from '../helpers.ts';

const orbId = 'test.record@1.0.0';
const dayMs = 86_400_000;

describe('the reputation of the console', () => {
  const recorder = createRecorder();
  const probe = createProbe();
  let now = Date.UTC(2026, 0, 1, 12);
  const clock: Clock = { now: () => now, monotonic: () => performance.now() };
  let site: ConsoleSite;
  let shown: ConsoleWindow;

  before(async function () {
    site = await startConsole(this, {
      clock,
      plugins: [probe.plugin],
      platform: { providers: { one: { adapter: 'record/local', config: { name: 'live' } } } },
      data: { [`orbs/${orbId}.json`]: recordOrb({ latency_objective_ms: 2000 }) },
      adapters: [recorder.adapter],
    });
    await api('POST', '/namespaces', { namespace: 'test' });
    const keys = await Promise.all(
      ['one', 'two', 'three'].map((name) => site.platform.key({ name, scopes: ['orbs:execute'] })),
    );
    // A score needs several callers on several days.
    for (let day = 0; day < 4; day += 1) {
      for (const key of keys)
        for (let round = 0; round < 4; round += 1)
          await site.platform.call('POST', '/orbisets/default/execute', { orb_id: orbId, inputs: { token: 't' } }, key);
      await endDay();
    }
    // Not by the home screen, which asks for the usage of days of the browser's clock.
    shown = await openWindow(site.platform, site.browser);
    await shown.page.goto(`${site.platform.url}/console/reputation`);
    await signIn(shown.page, site.platform, site.platform.adminKey);
  });
  after(() => site?.close());

  const endDay = async (): Promise<void> => {
    const day = new Date(now).toISOString().slice(0, 10);
    now += dayMs;
    const facts = { change: 'granted' as const, owner: { tenant: 'default' } };
    const at = new Date(now).toISOString();
    const fact = { kind: 'namespace' as const, tenant: 'default', at, namespace: 'nobody', facts };
    await probe.platform().attest({ fact, operations: () => [] });
    await until(
      () => probe.reputation().snapshot()?.day ?? '',
      (found) => found >= day,
      `the snapshot of ${day}`,
    );
    await probe.reputation().settled();
  };
  const api = (method: string, path: string, body?: unknown) => site.platform.call(method, path, body);
  const dialog = () => shown.page.getByRole('dialog');

  it('lists the Orbs, published or not', async () => {
    const { page } = shown;
    await page.getByText('No Orbs are published yet').waitFor();
    await page.getByRole('link', { name: orbId }).waitFor();
    await shown.check('reputation-none');
  });

  it('shows the score over time and what lifts it', async () => {
    const { page } = shown;
    await page.getByRole('link', { name: orbId }).click();
    await page.getByRole('img', { name: /^Score of 4 days, between/ }).waitFor();
    await page.getByText(/^Missing for the tier \w+:$/).waitFor();
    const { reputation_score: score, next_tier: next } = (await api('GET', `/reputation/${orbId}`)).body;
    expect(await page.locator('.score').textContent()).to.equal(score === null ? 'no score' : String(score));
    for (const { detail } of next.unmet) expect(await page.locator('main').innerText()).to.contain(detail);
    await page.getByText('Show as a table').click();
    await page.getByRole('region', { name: 'Score by day' }).getByText('2026-01-04').waitFor();
    await shown.check('reputation-one');
  });

  it('publishes by the keyboard alone', async () => {
    const { page, keys } = shown;
    // Nor from the home screen, for the same reason.
    await shown.go('/keys');
    await keys('g', 'e');
    await page.getByRole('link', { name: orbId }).focus();
    await keys('Enter');
    await page.getByRole('button', { name: 'Publish' }).focus();
    await keys('Enter');
    // The focus begins at the first field.
    await dialog().getByLabel('Title').waitFor();
    await page.keyboard.type('Records what it is told');
    await shown.check('reputation-publish');
    await dialog().getByRole('button', { name: 'Publish' }).focus();
    await keys('Enter');
    await page.getByRole('button', { name: 'Deprecate' }).waitFor();
    expect((await api('GET', `/marketplace/orbs/${orbId}`)).body.title).to.equal('Records what it is told');
    await page
      .locator('dl')
      .getByText(/^none: it is issued with the first tier$/)
      .waitFor();
    await shown.go('/reputation');
    await page.getByText('Records what it is told').waitFor();
    await shown.check('reputation-list');
  });

  it('leads from a tier to its certificate on the public page', async () => {
    const { page } = shown;
    const { body } = await api('GET', `/reputation/${orbId}`);
    const tiered = JSON.stringify({ ...body, certification_tier: 'bronze' });
    const answer = (route: Route) => route.fulfill({ contentType: 'application/json', body: tiered });
    await page.route(/\/reputation\/test\.record%401\.0\.0$/, answer, { times: 1 });
    await shown.go(`/reputation/${encodeURIComponent(orbId)}`);
    const href = await page.getByRole('link', { name: 'view and verify it' }).getAttribute('href');
    const [path = '', anchor = ''] = (href ?? '').split('#');
    expect(String((await site.platform.call('GET', path, undefined, null)).body)).to.include(`id="${anchor}"`);
  });

  it('suspends with a reason and the name, and reinstates', async () => {
    const { page } = shown;
    await shown.go(`/reputation/${orbId}`);
    await page.getByRole('button', { name: 'Suspend' }).click();
    const submit = dialog().getByRole('button', { name: 'Suspend' });
    await dialog().getByLabel(`Type “${orbId}”`).fill(orbId);
    expect(await submit.isDisabled(), 'without a reason').to.equal(true);
    await dialog().getByLabel('Reason').fill('it lies');
    await dialog().getByLabel(`Type “${orbId}”`).fill('test.record');
    expect(await submit.isDisabled(), 'without its name').to.equal(true);
    await dialog().getByLabel(`Type “${orbId}”`).fill(orbId);
    await shown.check('reputation-suspend');
    await submit.click();
    await page.getByText('an operator suspended it').waitFor();
    expect((await api('GET', `/reputation/${orbId}`)).body.status).to.equal('suspended');
    await shown.check('reputation-suspended');
    await page.getByRole('button', { name: 'Reinstate' }).click();
    await dialog().getByLabel('Reason').fill('it was a drill');
    await dialog().getByRole('button', { name: 'Reinstate' }).click();
    await page.getByRole('button', { name: 'Suspend' }).waitFor();
    expect((await api('GET', `/reputation/${orbId}`)).body.status).not.to.equal('suspended');
  });

  it('deprecates what is published', async () => {
    const { page } = shown;
    await page.getByRole('button', { name: 'Deprecate' }).click();
    await dialog().getByLabel('Reason').fill('there is a better one');
    await dialog().getByRole('button', { name: 'Deprecate' }).click();
    await page.getByRole('button', { name: 'Reactivate' }).waitFor();
    expect((await api('GET', `/marketplace/orbs/${orbId}`)).body.status).to.equal('deprecated');
  });

  it('yanks by the key alone, and offers to publish it no more', async () => {
    const { page } = shown;
    await page.getByRole('button', { name: 'Yank' }).click();
    await dialog().getByLabel('Reason').fill('it lies');
    await dialog().getByLabel(`Type “${orbId}”`).fill(orbId);
    await dialog().getByRole('button', { name: 'Yank' }).click();
    await page.getByLabel('API key').fill(site.platform.adminKey);
    await shown.keys('Enter');
    await page.locator('dl').getByText('yanked', { exact: true }).waitFor();
    for (const name of ['Publish', 'Yank', 'Deprecate'])
      expect(await page.getByRole('button', { name }).count(), name).to.equal(0);
    expect((await api('POST', '/marketplace/orbs/publish', { orb_id: orbId })).body.code).to.equal('version_published');
    await shown.check('reputation-yanked');
  });

  it('grants and revokes a namespace', async () => {
    const { page } = shown;
    await shown.go('/namespaces');
    await page.getByRole('button', { name: 'Grant a namespace' }).click();
    await dialog().getByLabel('Namespace').fill('Acme');
    await dialog().getByText('Use lower-case letters').waitFor();
    await dialog().getByLabel('Namespace').fill('acme.mail');
    await shown.check('namespaces-grant');
    await dialog().getByRole('button', { name: 'Grant a namespace' }).click();
    const row = page.getByRole('row', { name: /acme\.mail/ });
    await row.getByRole('button', { name: 'Revoke' }).click();
    await dialog().getByLabel('Reason').fill('the tenant has left');
    await dialog().getByLabel('Type “acme.mail”').fill('acme.mail');
    await dialog().getByRole('button', { name: 'Revoke' }).click();
    await row.getByText('the tenant has left').waitFor();
    await shown.check('namespaces');
    const { namespaces } = (await api('GET', '/namespaces')).body;
    const found = namespaces.find(({ namespace }: { namespace: string }) => namespace === 'acme.mail');
    expect(found).to.include({ state: 'revoked', reason: 'the tenant has left' });
  });
});
