import { expect } from 'chai';
import { join } from 'node:path';
import { packageDir } from '../../../helpers/folder.ts';
import { need } from '../../../helpers/needs.ts';
import { installWheel, type InstalledWheel } from './installed.ts';

// How each call ends that the server, or the function that gets the token, leaves without an answer.
const ends = {
  'run, without a token': 'unreachable',
  'run, without an answer': 'unknown',
  'run, while the clock is set back': 'unknown',
  'run, without a receipt': 'unverified receipt',
  'run, whose receipt comes late': 'unverified envelope',
  'run, without keys': 'unverified envelope',
  'enqueue, without an answer': 'unknown',
  'settle, without an answer': 'unknown',
  'settle, without an end': 'unknown',
  'request, without an answer': 'error unknown',
  'stream, without an end': 'unknown',
  'stream, without a receipt': 'unverified receipt',
  'tools, without an end': 'error tools',
  'run, while another waits for a token': 'completed',
};

describe('the time of a call of the Python client', function () {
  this.timeout(60_000);
  let installed: InstalledWheel;
  before(async function () {
    need(this, 'python');
    installed = await installWheel();
  });
  after(() => installed?.remove());

  it('is never longer than its timeout, whatever does not come', async () => {
    const printed = await installed.run([join(packageDir, 'test/plugins/clients/python/times.py')]);
    expect(printed.trimEnd().split('\n')).to.deep.equal(
      Object.entries(ends).map(([call, end]) => `${call}: ${end}, in time`),
    );
  });
});
