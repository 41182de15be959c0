import { expect } from 'chai';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  claimRestored,
  markRestored,
  restoredFile,
  settleRestored,
} from '../../../../../plugins/receipts/log/stored/restored.ts';

describe('the mark of a restored store', () => {
  let dir: string;
  const path = (): string => join(dir, restoredFile);
  beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'orb-restored-'))));
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('is not there before a restore', () => {
    expect(claimRestored(dir)).to.equal(undefined);
  });

  it('names one shard until that was created, however often the start is interrupted', () => {
    markRestored(dir);
    const suffix = claimRestored(dir);
    expect(suffix).to.match(/^[0-9a-f]{8}$/);
    expect(claimRestored(dir)).to.equal(suffix);
    markRestored(dir);
    expect(claimRestored(dir)).to.equal(suffix);
    settleRestored(dir);
    expect(claimRestored(dir)).to.equal(undefined);
  });

  it('names another one for the next restore', () => {
    markRestored(dir);
    const suffix = claimRestored(dir);
    settleRestored(dir);
    markRestored(dir);
    expect(claimRestored(dir)).to.not.equal(suffix);
  });

  for (const other of ['shard 0123', 'shard 0123abcd', 'anything\n'])
    it(`takes no name from other content: ${JSON.stringify(other)}`, () => {
      writeFileSync(path(), other);
      const suffix = claimRestored(dir);
      expect(other).to.not.include(suffix);
      expect(readFileSync(path(), 'utf8')).to.equal(`shard ${suffix}\n`);
    });
});
