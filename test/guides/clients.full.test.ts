import { expect } from 'chai';
import { createServed, type Served } from '../helpers/served.ts';
import { buildClients } from '../plugins/clients/built.ts';
import { beginWalk, headingsOf, type Walk } from './walk.ts';

const guide = 'plugins/docs/pages/call/clients.md';

/** What is printed under a heading, where no sample shows it. */
const says: Readonly<Record<string, RegExp>> = {
  'Install the client': /added 1 package/,
  'Trust keys': /verified: true/,
  'Give tools to a model': /^(?:\w+ )*notify_email\b.*\nmessage_id$/m,
};

describe('the guide to client libraries', function () {
  this.timeout(120_000);
  let served: Served;
  let walk: Walk;
  before(async () => {
    buildClients();
    served = createServed();
    walk = beginWalk(guide, { home: served.home, ...(await served.start()) });
  });
  after(async () => {
    walk?.end();
    await served?.remove();
  });

  for (const heading of headingsOf(guide))
    it(`does what it says under "${heading}"`, async () => {
      expect(await walk.follow(heading)).to.match(says[heading] ?? /^/);
    });
});
