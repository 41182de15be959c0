import { expect } from 'chai';
import { need } from '../helpers/needs.ts';
import { createReader, type Reader } from '../plugins/clients/recipes/place.ts';
import { beginWalk, headingsOf, type Walk } from './walk.ts';

const guide = 'plugins/docs/pages/call/workflows.md';

/** What is printed under a heading, where no sample shows it. */
const says: Readonly<Record<string, RegExp>> = { 'Temporal activity': /^(rec_\w{26})\n\1\n$/ };

describe('the guide to calls from workflows', function () {
  this.timeout(120_000);
  let reader: Reader;
  let walk: Walk;
  before(async function () {
    need(this, 'python');
    reader = await createReader();
    walk = beginWalk(guide, { home: reader.served.home, url: reader.url });
    const { bin, path } = reader.python;
    await walk.type(`export PYTHONPATH=${path} PATH=${bin}:$PATH`);
  });
  after(async () => {
    walk?.end();
    await reader?.remove();
  });

  for (const heading of headingsOf(guide))
    it(`does what it says under "${heading}"`, async () => {
      expect(await walk.follow(heading)).to.match(says[heading] ?? /^/);
    });
});
