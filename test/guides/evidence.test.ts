import { expect } from 'chai';
import { guideBlocks } from '../helpers/guide.ts';
import { startPlatform } from '../helpers/platform.ts';

const page = 'plugins/docs/pages/trust/evidence.md';

describe('the page on evidence', () => {
  it('names settings that a server starts with, and none of them can be left out', async () => {
    const block = guideBlocks(page).find(({ language }) => language === 'json');
    const settings = JSON.parse(block?.code ?? '') as { readonly plugins: Readonly<Record<string, object>> };
    const platform = await startPlatform({ platform: settings });
    await platform.stop();
    const { policy: _, ...plugins } = settings.plugins;
    const refused: unknown = await startPlatform({ platform: { plugins } }).catch((error: unknown) => error);
    expect((refused as Error).message).to.include('plugins.policy/retention_days');
  });
});
