import { expect } from 'chai';
import { need } from '../../../helpers/needs.ts';
import { createServed, type Served } from '../../../helpers/served.ts';
import { installClient, type Installed } from '../built.ts';
import { answers } from './walk.mjs';
import { openPage, startChromium, useLiveKey, walkOnPage } from './chromium.ts';
import { walkByCommand, type Walked } from './places.ts';

describe('the TypeScript client, installed from its package', function () {
  this.timeout(120_000);
  let installed: Installed;
  let served: Served;
  let walked: Walked;
  before(async () => {
    [installed, served] = [await installClient(), createServed()];
    walked = { folder: installed.folder, ...(await served.start()), sub: 'node' };
  });
  after(async () => {
    await served?.remove();
    installed?.remove();
  });

  it('walks on the Node of the tests', async () => {
    expect(await walkByCommand(process.execPath, [], walked)).to.deep.equal([...answers]);
  });

  it('walks in Chromium, on a page of the server, with a key for tests', async function () {
    need(this, 'chromium');
    const browser = await startChromium(walked);
    try {
      const page = await openPage(browser, walked);
      expect(await walkOnPage(page, { ...walked, sub: 'chromium' })).to.deep.equal([...answers]);
      expect(await useLiveKey(page, walked)).to.equal('browser');
    } finally {
      await browser.close();
    }
  });
});
