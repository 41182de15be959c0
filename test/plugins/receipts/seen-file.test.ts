import { join } from 'node:path';
import { expect } from 'chai';
import { keepSeen, readSeen } from '../../../plugins/receipts/seen-file.ts';
import { temporaryDir } from './harness.ts';

describe('the checkpoints that were verified', () => {
  let dir: ReturnType<typeof temporaryDir>;
  let notes: string[];
  beforeEach(() => {
    dir = temporaryDir();
    notes = [];
  });
  afterEach(() => dir.remove());

  const keep = (size: bigint, folder = dir.path): Promise<void> =>
    keepSeen(
      { stateDir: folder, note: (text) => void notes.push(text) },
      { origin: 'log.example', size, root: new Uint8Array(32).fill(Number(size)) },
    );

  it('are remembered, of each log the largest', async () => {
    for (const size of [3n, 7n, 5n]) await keep(size);
    const seen = await readSeen(dir.path);
    expect([...seen.keys(), seen.get('log.example')?.size, seen.get('log.example')?.root[0]]).to.deep.equal([
      'log.example',
      7n,
      7,
    ]);
    expect(notes).to.deep.equal([]);
  });

  it('are said not to be remembered where nothing can be written: a rollback would go unseen', async () => {
    const nowhere = join(dir.path, 'nowhere');
    await keep(3n, nowhere);
    expect(notes).to.have.length(1);
    expect(notes[0]).to.include(`the checkpoint is not remembered (ENOENT: ${nowhere})`);
    expect((await readSeen(nowhere)).size).to.equal(0);
  });
});
