import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { withLock } from '../../../../../plugins/receipts/verifier/trust-store/lock.ts';

describe('work under a lock file', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orb-lock-'));
    path = join(folder, 'file.lock');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is done one after the other, also when one of them fails', async () => {
    let inside = 0;
    const work = (at: number) => async (): Promise<number> => {
      expect(++inside).to.equal(1);
      await new Promise(setImmediate);
      inside--;
      if (at === 1) throw new Error('failed');
      return at;
    };
    const done = await Promise.allSettled([0, 1, 2, 3].map((at) => withLock(path, work(at))));
    expect(done.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('goes on over what a dead process left', async () => {
    writeFileSync(path, '4194305\n1\n');
    expect(await withLock(path, async () => readFileSync(path, 'utf8').split('\n')[0])).to.equal(String(process.pid));
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('is refused when a live process keeps the lock, and where no file can be made', async () => {
    writeFileSync(path, `${process.pid}\n\n`);
    const refused = await withLock(path, async () => 'done', { waitMs: 50 }).catch((error: unknown) => error);
    expect(String(refused)).to.contain(`is held by process ${process.pid}`);
    const nowhere = await withLock(join(folder, 'none', 'lock'), async () => 'done').catch((error: unknown) => error);
    expect(nowhere).to.have.property('code', 'ENOENT');
  });
});
