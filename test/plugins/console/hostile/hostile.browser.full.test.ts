import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { shippedFolder } from '../../../../plugins/policy/shipped.ts';
import type { Page } from 'playwright-core';
import { isQuiet, openWindow, startConsole, type ConsoleSite, type ConsoleWindow } from '../helpers.ts';
import { until } from '../../../helpers/until.ts';
import { lookAt, watching } from './look.ts';
import { mark } from './payload.ts';
import { hostilePlatform, rego, seed, type Seeded } from './seed.ts';

/** Further states of screens; each screen by itself is in the tests of all views. `shows`: a hostile text is among what it shows. */
const rows: readonly { readonly path: string; readonly shows?: true }[] = [
  { path: '/runs?status=indeterminate' },
  { path: '/runs/{run}' },
  { path: '/runs/{unknown}' },
  { path: '/runs/{resolved}' },
  { path: '/runs/{rejected}' },
  { path: '/runs/{denied}' },
  { path: '/runs/{held}' },
  { path: '/receipts?orb={orb}&orbiset=hostile' },
  { path: '/receipts/{swap_receipt}' },
  { path: '/approvals?state=all&group=office' },
  { path: '/try?orb_id={orb}', shows: true },
  { path: '/orbs/-/new?from={orb}', shows: true },
  { path: '/providers/-/hostile' },
  { path: '/providers/new?adapter=echo/hostile', shows: true },
  { path: '/providers/stored/kept?change=yes', shows: true },
  { path: '/deliveries/{dead_id}' },
  { path: '/schedules?orbiset=hostile' },
  { path: '/schedules/new?orbiset=hostile&orb_id={orb}', shows: true },
  { path: '/callbacks?orbiset=hostile', shows: true },
  { path: '/charts?step=day&by=orb_id' },
  { path: '/charts?by=provider' },
  { path: '/charts?by=principal', shows: true },
  { path: '/charts?by=key_id', shows: true },
  { path: '/usage?by=key_id', shows: true },
  { path: '/usage?by=day&model={model}', shows: true },
  { path: '/policies/hostile_draft', shows: true },
];

describe('texts of strangers on the screens of the console', function () {
  this.timeout(120_000);
  let site: ConsoleSite;
  let shown: ConsoleWindow;
  let seeded: Seeded;
  before(async function () {
    const home = mkdtempSync(join(tmpdir(), 'orb-hostile-'));
    cpSync(shippedFolder, join(home, 'policies'), { recursive: true });
    writeFileSync(join(home, 'policies/hostile.rego'), rego);
    site = await startConsole(this, { ...hostilePlatform, home });
    seeded = await seed(site.platform);
    shown = await site.open();
    await shown.page.evaluate(watching);
  });
  after(() => site?.close());

  const pathOf = (pattern: string): string =>
    pattern.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(seeded[name] ?? ''));

  const showing = (page: Page): Promise<string> =>
    until(
      () => lookAt(page),
      (text) => text.includes(mark),
      'the text of a stranger',
    );

  for (const { path, shows } of rows)
    it(`stay texts on ${path}`, async () => {
      const { page, faults } = shown;
      await shown.go(pathOf(path));
      await isQuiet(page);
      if (shows) await showing(page);
      await lookAt(page);
      expect(faults).to.deep.equal([]);
    });

  for (const [said, status] of [
    ['hello', 'completed'],
    ['denied', 'access_denied'],
    ['rejected', 'provider_rejected'],
  ] as const)
    it(`stay texts in the result of a run that is tried: ${status}`, async () => {
      const { page, faults } = shown;
      await shown.go(pathOf('/try?orb_id={orb}&orbiset_id=hostile'));
      await page.getByRole('textbox').first().fill(said);
      await page.getByRole('button', { name: 'Run the test' }).click();
      await page.getByRole('region', { name: 'Result' }).getByText(status).first().waitFor();
      await showing(page);
      faults.splice(0, faults.length, ...faults.filter((fault) => !/status of (403|422) .*\/execute$/.test(fault)));
      expect(faults).to.deep.equal([]);
    });

  it('stay texts in the answer of a model', async () => {
    const { page, faults } = shown;
    await shown.go('/playground');
    await page.getByLabel('Message').fill('hello');
    await page.getByLabel('Most output tokens').fill('9');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('region', { name: 'Answer' }).getByText('right to left').waitFor();
    await showing(page);
    expect(faults).to.deep.equal([]);
  });

  it('stay texts where a link asks who signs in, and in the dialogs of acts', async () => {
    const link = (await site.platform.call('POST', '/console/links', undefined, seeded['key'])).body.url as string;
    const window = await openWindow(site.platform, site.browser);
    await window.page.goto(`${site.platform.url}/console${new URL(link).hash}`);
    await window.page.evaluate(watching);
    await showing(window.page);
    await window.page.getByRole('button', { name: 'Sign in' }).click();
    await window.page.getByRole('navigation', { name: 'Console' }).first().waitFor({ state: 'attached' });
    let dialogs = 0;
    const acting = ['/keys/{key_id}', '/incidents/{incident_id}', '/runs/{unknown}', '/policies/-/drafts'];
    for (const path of [...acting, '/providers/stored/{name}']) {
      await window.go(pathOf(path));
      await isQuiet(window.page);
      const acts = window.page.locator('main button:not([aria-expanded]):not([type=submit])');
      await acts.first().waitFor();
      await isQuiet(window.page);
      for (let at = 0; at < (await acts.count()); at += 1) {
        await acts.nth(at).click();
        // Not every button opens one.
        const dialog = window.page.getByRole('dialog');
        await dialog.waitFor({ timeout: 400 }).then(
          () => (dialogs += 1),
          () => undefined,
        );
        await lookAt(window.page);
        await window.page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
        if (!(await acts.nth(at).isVisible())) await window.go(pathOf(path));
      }
    }
    expect(dialogs).to.be.above(5);
    expect(window.faults).to.deep.equal([]);
    await window.close();
  });
});
