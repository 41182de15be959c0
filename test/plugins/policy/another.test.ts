import { expect } from 'chai';
import { definePlugin } from '../../../kernel/index.ts';
import { startPlatform } from '../../helpers/platform.ts';

describe('where another plugin decides', () => {
  it('the policies decide nothing, and are still served', async () => {
    const other = definePlugin({
      name: 'other',
      start({ hooks }) {
        hooks.authorize.tap('other', () => ({ allow: false, policies: ['other'], warns: 0, shadow_denies: 0 }));
        return {};
      },
    });
    const platform = await startPlatform({
      plugins: [other],
      platform: { authorize: 'other', providers: { echo: { adapter: 'echo/local' } }, plugins: { other: {} } },
    });
    try {
      const asked = { orb_id: 'demo.echo@1.0.0', inputs: { text: 'hello' } };
      expect((await platform.call('POST', '/orbisets/default/execute', asked)).body.code).to.equal('access_denied');
      expect((await platform.call('GET', '/policies')).body.total).to.equal(3);
    } finally {
      await platform.stop();
    }
  });
});
