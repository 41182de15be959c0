import { shippedSettings } from '../../helpers/shipped-settings.ts';
import { startConsole, type ConsoleSite } from './helpers.ts';

describe('the console of an installation with a notice', () => {
  let site: ConsoleSite;
  before(async function () {
    const platform = { ...shippedSettings(), site: { notice: 'A test server: its runs are deleted at night.' } };
    site = await startConsole(this, { platform });
  });
  after(() => site?.close());

  it('shows it above each screen, and fits the window', async () => {
    const shown = await site.open('/runs');
    await shown.page.getByRole('complementary', { name: 'Notice' }).getByText('A test server').waitFor();
    await shown.check('notice');
    await shown.close();
  });
});
