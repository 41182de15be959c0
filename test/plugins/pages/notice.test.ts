import { expect } from 'chai';
import { shippedSettings } from '../../helpers/shipped-settings.ts';
import { startPlatform } from '../../helpers/platform.ts';

const pages = ['/', '/console', '/marketplace', '/status.html', '/verify', '/docs', '/there-is-no-such-page'];
const written = 'A test server: <b>orders</b> & runs are deleted at night.';
const shown = 'A test server: &#60;b&#62;orders&#60;/b&#62; &#38; runs are deleted at night.';

describe('the notice of an installation', () => {
  for (const [notice, count] of [
    [written, 1],
    [undefined, 0],
  ] as const)
    it(`is ${notice === undefined ? 'on no page without the setting' : 'at the top of each page, as text'}`, async () => {
      const site = notice === undefined ? {} : { site: { notice } };
      const platform = await startPlatform({ platform: { ...shippedSettings(), ...site } });
      try {
        for (const path of pages) {
          const answer = await fetch(platform.url + path, { headers: { accept: 'text/html' } });
          const text = await answer.text();
          expect(text.split(shown), path).to.have.length(count + 1);
          expect(text.split('class="site-notice"'), path).to.have.length(count + 1);
        }
      } finally {
        await platform.stop();
      }
    });
});
