import { copyFileSync, cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { need } from '../helpers/needs.ts';
import { MadeRelease } from '../plugins/release/made-release.ts';
import { beginWalk, headingsOf, type Walk } from './walk.ts';

const page = 'plugins/docs/pages/trust/release.md';

describe('the guide to verify a release', function () {
  this.timeout(60_000);
  let made: MadeRelease;
  let walk: Walk;
  before(async function () {
    need(this, 'jq', 'openssl');
    made = new MadeRelease();
    cpSync(await made.build('0.2.0'), join(made.dir, 'orb-0.2.0'), { recursive: true });
    cpSync(join(made.dir, 'dist/log'), join(made.dir, 'release-log'), { recursive: true });
    copyFileSync(made.keys.owner.pem, join(made.dir, 'release-key.pem'));
    walk = beginWalk(page, { home: made.dir, url: 'http://127.0.0.1:8080' });
  });
  after(() => {
    walk?.end();
    made?.remove();
  });

  const says: Readonly<Record<string, RegExp>> = {
    'Verify files': /^pass NOTICE\n.*\nVERIFIED$[^]*^pass chart\/values\.yaml$[^]*^VERIFIED$/m,
    'Check that the log only grows': /^VERIFIED$/m,
    'Verify with other tools': /Signature Verified Successfully/,
    'See what is inside': /^node +\d+\.\d+\.\d+$/m,
  };

  for (const heading of headingsOf(page))
    it(`does what it says under "${heading}"`, async () => {
      const printed = await walk.follow(heading);
      expect(printed, printed).to.match(says[heading] ?? expect.fail(heading));
    });
});
