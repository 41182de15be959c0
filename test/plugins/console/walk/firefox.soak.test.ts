import { firefoxOrSkip } from '../../../helpers/firefox.ts';
import { startPlatform } from '../../../helpers/platform.ts';
import { walkByKeyboard } from './walk.ts';

describe('the console without a mouse, in Firefox', function () {
  this.timeout(180_000);

  it('leads from the sign-in to runs, a receipt, an Orb that is tried, and out', async function () {
    // Tab reaches links whatever the system says.
    const firefox = await firefoxOrSkip(this, { 'accessibility.tabfocus': 7 });
    const platform = await startPlatform();
    try {
      await walkByKeyboard(firefox, platform);
    } finally {
      await firefox.close();
      await platform.stop();
    }
  });
});
