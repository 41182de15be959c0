import { expect } from 'chai';
import { guideBlocks } from '../helpers/guide.ts';
import { startPlatform } from '../helpers/platform.ts';

interface Settings {
  readonly plugins: { readonly budgets: { readonly config: { readonly budgets: readonly Budget[] } } };
}

interface Budget {
  readonly nanos?: number;
  readonly tokens?: number;
}

const blocks = guideBlocks('plugins/docs/pages/operate/budgets.md').map(({ code }) => code);
const [prices, settings] = blocks.filter((code) => code.startsWith('{')).map((code) => JSON.parse(code) as object);

describe('the page on budgets', () => {
  it('shows prices and budgets that a server starts with', async () => {
    const platform = await startPlatform({ platform: settings as object, data: { 'prices.json': prices as object } });
    await platform.stop();
  });

  it('shows prices without which a server does not start when they are faulty', async () => {
    const faulty = { ...prices, version: 2 };
    const started = startPlatform({ platform: settings as object, data: { 'prices.json': faulty } });
    const error = await started.catch((thrown: unknown) => thrown);
    expect(String(error)).to.include('data/prices.json#/version');
  });

  it('shows budgets as large as it says', () => {
    const { budgets } = (settings as Settings).plugins.budgets.config;
    const limits = budgets.map(({ nanos, tokens }) => (nanos === undefined ? `${tokens}` : `$${nanos / 1e9}`));
    expect(limits).to.deep.equal(['$500', '$10', '$50', '200000']);
  });
});
