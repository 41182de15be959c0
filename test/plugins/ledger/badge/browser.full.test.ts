import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { expect } from 'chai';
import { styles } from '../../../../plugins/ledger/badge/svg.ts';
import { browserOrSkip } from '../../../helpers/browser.ts';
import { orb, startWorld, type World } from '../certificate/world.ts';

const hostile = '<script>alert(1)</script>"\' onload="x';

describe('badges in a browser', () => {
  let browser: Browser | undefined;
  let world: World;
  let site: Server;
  let page = '';
  before(async function () {
    browser = await browserOrSkip(this);
    world = await startWorld();
    // A page of another origin, as a README is.
    site = createServer((_, res) => res.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page));
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  });
  after(async () => {
    await browser?.close();
    site?.close();
    await world?.stop();
  });
  const address = (): string => `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;

  it('are shown on a page of another origin, in every style and state, as wide as they are drawn', async function () {
    this.timeout(60_000);
    const ids = ['demo.echo@1.0.0', ...['bronze', 'silver', 'gold', 'platinum'].map((tier) => `x.${tier}@1.0.0`)];
    for (const id of [...ids, 'x.gone@1.0.0', 'x.new@1.0.0']) world.lists('published', id);
    world.stands({ status: 'unscored', score: null }, 'demo.echo@1.0.0');
    for (const tier of ['bronze', 'silver', 'gold', 'platinum'] as const) world.holds(tier, `x.${tier}@1.0.0`);
    world.stands({ status: 'provisional', score: 57 }, 'x.new@1.0.0');
    world.stands({ status: 'suspended', suspended: true }, 'x.gone@1.0.0');
    const images = [...ids, 'x.new@1.0.0', 'x.gone@1.0.0', 'no.such@1.0.0'].flatMap((id) =>
      styles.map((style) => `<img src="${world.platform.url}/reputation/${id}/badge?style=${style}">`),
    );
    images.push(`<img src="${world.platform.url}/reputation/${orb}/badge?label=${encodeURIComponent(hostile)}">`);
    page = `<!doctype html><title>page</title><body style="font-size:0;line-height:2.2">${images.join('\n<wbr>')}`;
    const tab = await (browser as Browser).newPage({ viewport: { width: 900, height: 560 }, deviceScaleFactor: 2 });
    await tab.goto(address(), { waitUntil: 'load' });
    const widths = await tab.$$eval('img', (all) => all.map((one) => one.naturalWidth));
    expect(widths).to.have.length(images.length);
    // A picture with status 404 is shown as well.
    expect(widths.every((width) => width > 40)).to.equal(true);
    expect(await tab.title()).to.equal('page');
    const folder = process.env['SCREENSHOTS'];
    if (folder !== undefined) await tab.screenshot({ path: join(folder, 'badges.png') });
    await tab.close();
  });

  it('do nothing when opened by themselves, whatever the label', async function () {
    this.timeout(60_000);
    const tab = await (browser as Browser).newPage();
    const asked: string[] = [];
    tab.on('request', (request) => void asked.push(request.url()));
    const dialogs: string[] = [];
    tab.on('dialog', (dialog) => (dialogs.push(dialog.message()), void dialog.dismiss()));
    const url = `${world.platform.url}/reputation/${orb}/badge?label=${encodeURIComponent(hostile)}`;
    await tab.goto(url);
    const scripts = await tab.evaluate('document.querySelectorAll("script, a, image, foreignObject, [onload]").length');
    expect(scripts).to.equal(0);
    expect(await tab.evaluate('document.documentElement.getAttribute("aria-label")')).to.contain(hostile);
    expect(asked.filter((one) => one !== new URL(url).href && !one.endsWith('/favicon.ico'))).to.deep.equal([]);
    expect(dialogs).to.deep.equal([]);
    await tab.close();
  });
});
