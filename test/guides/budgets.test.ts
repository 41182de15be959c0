import { expect } from 'chai';
import { readPrices } from '../../plugins/budgets/prices/file.ts';
import { budgetsOf, type Settings } from '../../plugins/budgets/settings.ts';
import { guideBlocks } from '../helpers/guide.ts';
import { startPlatform } from '../helpers/platform.ts';

const blocks = guideBlocks('plugins/docs/pages/operate/budgets.md').map(({ code }) => code);
const json = blocks.filter((code) => code.startsWith('{'));

describe('the page on budgets', () => {
  it('shows a price file that the server reads', () => {
    const faults: string[] = [];
    const prices = readPrices(Buffer.from(json[0] ?? ''), 'prices.json', faults);
    expect(faults).to.deep.equal([]);
    expect([...(prices?.models.values() ?? [])].flat()).to.have.length(1);
  });

  it('shows budgets that a server starts with, as large as the page says', async () => {
    const platform = JSON.parse(json[1] ?? '') as { plugins: { budgets: { config: Settings } } };
    const started = await startPlatform({ platform });
    await started.stop();
    const dollars = budgetsOf(platform.plugins.budgets.config, []).map(({ limit, unit }) =>
      unit === 'nanos' ? `$${limit / 1e9}` : `${limit}`,
    );
    expect(dollars).to.deep.equal(['$500', '$10', '$50', '200000']);
  });
});
