import { expect } from 'chai';
import { need } from '../../../helpers/needs.ts';
import { unpackClient } from '../built.ts';
import { answers } from './walk.mjs';
import { walkInChromium } from './chromium.ts';
import { beginWalks, walkByCommand, type Walks } from './places.ts';

describe('the TypeScript client, installed from its package', function () {
  this.timeout(120_000);
  let walks: Walks;
  before(async () => {
    walks = await beginWalks();
    unpackClient(walks.walked.folder);
  });
  after(() => walks?.end());

  it('walks on the Node of the tests', async () => {
    expect(await walkByCommand(process.execPath, [], { ...walks.walked, sub: 'node' })).to.deep.equal([...answers]);
  });

  it('walks in Chromium, on a page of the server, with a key for tests', async function () {
    need(this, 'chromium');
    const found = await walkInChromium({ ...walks.walked, sub: 'chromium' });
    expect(found).to.deep.equal({ lines: [...answers], liveKey: 'browser' });
  });
});
