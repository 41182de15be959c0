import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { expect } from 'chai';
import {
  checkpointFile,
  copyCheckpoints,
  readCheckpointFile,
  replaceCheckpointFile,
} from '../../../../../plugins/receipts/log/stored/checkpoint-file.ts';
import { checkpointText } from '../../../../../plugins/receipts/log/pure/note.ts';
import { until } from '../../../../helpers/until.ts';
import { temporaryDir } from '../../harness.ts';

describe('the copy of the newest checkpoint', () => {
  let dir: ReturnType<typeof temporaryDir>;
  let newest: string | undefined;
  let asked: number;
  let failures: unknown[];
  let copying: ReturnType<typeof copyCheckpoints>;
  const path = () => join(dir.path, checkpointFile);

  beforeEach(() => {
    dir = temporaryDir();
    [newest, asked, failures] = ['one', 0, []];
    const next = () => (asked++, newest);
    copying = copyCheckpoints(dir.path, next, (error) => failures.push(error));
  });
  afterEach(async () => {
    mock.timers.reset();
    await copying.close();
    dir.remove();
  });

  it('is read as it was written; none is there at first', () => {
    expect(readCheckpointFile(dir.path)).to.equal(undefined);
    replaceCheckpointFile(dir.path, 'x');
    expect(readCheckpointFile(dir.path)).to.equal('x');
  });

  it('that cannot be read is no missing one', () => {
    mkdirSync(path());
    expect(() => readCheckpointFile(dir.path)).to.throw('EISDIR');
    rmSync(path(), { recursive: true });
  });

  it('is made within a second of the growth, once for all that came meanwhile, and again after it', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    for (let n = 0; n < 3; n++) copying.moved();
    mock.timers.tick(999);
    expect(asked).to.equal(0);
    mock.timers.tick(1);
    mock.timers.reset();
    await until(
      () => readCheckpointFile(dir.path),
      (found) => found === 'one',
      'the copy',
      1,
    );
    expect(asked).to.equal(1);
    newest = 'two';
    mock.timers.enable({ apis: ['setTimeout'] });
    copying.moved();
    mock.timers.tick(1000);
    mock.timers.reset();
    await until(
      () => readCheckpointFile(dir.path),
      (found) => found === 'two',
      'the copy',
      1,
    );
  });

  it('is never replaced by an earlier one of the same log: a store that was put back is behind it', async () => {
    const noteOf = (origin: string, size: number): string =>
      `${checkpointText({ origin, size: BigInt(size), root: Buffer.alloc(32) })}\n— ${origin} AAAAAAAA\n`;
    replaceCheckpointFile(dir.path, noteOf('x.orb/receipts/1', 5));
    newest = noteOf('x.orb/receipts/1', 4);
    await copying.close();
    expect(readCheckpointFile(dir.path)).to.equal(noteOf('x.orb/receipts/1', 5));
    for (newest of [noteOf('x.orb/receipts/2-0badcafe', 1), noteOf('x.orb/receipts/2-0badcafe', 2)]) {
      await copying.close();
      expect(readCheckpointFile(dir.path)).to.equal(newest);
    }
  });

  it('is made a last time at the end, unless there is nothing new', async () => {
    copying.moved();
    await copying.close();
    expect(readFileSync(path(), 'utf8')).to.equal('one');
    rmSync(path());
    await copying.close();
    newest = undefined;
    await copying.close();
    expect(readCheckpointFile(dir.path)).to.equal(undefined);
    newest = 'two';
    await copying.close();
    expect(readCheckpointFile(dir.path)).to.equal('two');
  });

  it('that fails is told of, and tried again with the next', async () => {
    mkdirSync(join(path(), 'x'), { recursive: true });
    await copying.close();
    expect(failures).to.have.length(1);
    rmSync(path(), { recursive: true });
    await copying.close();
    expect([readCheckpointFile(dir.path), failures.length]).to.deep.equal(['one', 1]);
  });
});
