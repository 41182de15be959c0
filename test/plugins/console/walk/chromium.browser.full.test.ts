import { startConsole, openWindow } from '../helpers.ts';
import { expect } from 'chai';
import { walkByKeyboard } from './walk.ts';

describe('the console without a mouse, in Chromium', function () {
  this.timeout(120_000);

  it('leads from the sign-in to runs, a receipt, an Orb that is tried, and out', async function () {
    const site = await startConsole(this);
    try {
      const { page, faults } = await openWindow(site.platform, site.browser);
      const hands = {
        navigate: async (url: string) => void (await page.goto(url)),
        press: (key: string) => page.keyboard.press(key),
        evaluate: (expression: string) => page.evaluate<string>(expression),
      };
      await walkByKeyboard(hands, site.platform);
      expect(faults).to.deep.equal([]);
    } finally {
      await site.close();
    }
  });
});
