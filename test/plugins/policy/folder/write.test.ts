import { expect } from 'chai';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clearFolder, FolderReadOnly, writeFolder } from '../../../../plugins/policy/folder/write.ts';
import { leaveOutBecause } from '../../../helpers/needs.ts';
import { rejection } from '../../../helpers/stores/open.ts';

const file = (path: string, source: string) => ({ path, source });

describe('writing the policies folder', () => {
  let base: string;
  let folder: string;
  const text = (path: string): string => readFileSync(join(folder, path), 'utf8');
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'orb-folder-'));
    folder = join(base, 'policies');
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  it('makes the folder, writes what changed, deletes what went, and leaves the rest alone', async () => {
    const first = [file('a.rego', 'a'), file('sub/b.rego', 'b'), file('c.rego', 'c')];
    await writeFolder(folder, [], first);
    expect(['a.rego', 'sub/b.rego', 'c.rego'].map(text)).to.deep.equal(['a', 'b', 'c']);
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    const { ino } = statSync(join(folder, 'c.rego'));
    await writeFolder(folder, first, [file('sub/b.rego', 'B'), file('c.rego', 'c'), file('d.rego', 'd')]);
    expect(readdirSync(folder).sort()).to.deep.equal(['c.rego', 'd.rego', 'notes.txt', 'sub']);
    expect(['sub/b.rego', 'c.rego', 'd.rego'].map(text)).to.deep.equal(['B', 'c', 'd']);
    expect(statSync(join(folder, 'c.rego')).ino).to.equal(ino);
  });

  it('leaves no file open', async function () {
    if (process.platform !== 'linux') leaveOutBecause(this, 'only Linux lists the open files of a process');
    await writeFolder(folder, [], [file('a.rego', 'a')]);
    await writeFolder(folder, [file('a.rego', 'a')], [file('a.rego', 'A')]);
    const opened = readdirSync('/proc/self/fd').map((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`);
      } catch {
        return 'closed meanwhile';
      }
    });
    expect(opened.filter((path) => path.startsWith(base))).to.deep.equal([]);
  });

  it('brings the old files back when a write fails', async () => {
    const first = [file('a.rego', 'a'), file('b.rego', 'b')];
    await writeFolder(folder, [], first);
    // A folder lies where the last file is to be written.
    mkdirSync(join(folder, 'z.rego'));
    const next = [file('a.rego', 'A'), file('new.rego', 'new'), file('z.rego', 'z')];
    expect(await rejection(writeFolder(folder, first, next))).to.be.an('error');
    expect(['a.rego', 'b.rego'].map(text)).to.deep.equal(['a', 'b']);
    expect(existsSync(join(folder, 'new.rego'))).to.equal(false);
  });

  it('restores each file that it can when another one cannot be restored, and says which', async () => {
    const first = [file('a.rego', 'a'), file('b.rego', 'b')];
    await writeFolder(folder, [], first);
    // The last deletion fails, and the first file cannot be written again.
    for (const name of ['z.rego', 'a.rego.new']) mkdirSync(join(folder, name));
    const error = await rejection(writeFolder(folder, [...first, file('z.rego', 'z')], [file('b.rego', 'B')]));
    expect(text('b.rego')).to.equal('b');
    expect(error).to.be.instanceOf(AggregateError);
    expect((error as AggregateError).errors.map(String)).to.have.length(2);
    expect(String((error as AggregateError).errors[1])).to.contain('a.rego.new');
  });

  it('makes no folder at all when a file cannot be written: an empty one would be served', async () => {
    for (const path of [`${'x'.repeat(300)}.rego`, '../out.rego']) {
      const next = [file('a.rego', 'a'), file('sub/b.rego', 'b'), file(path, 'x')];
      expect(await rejection(writeFolder(folder, [], next)), path).to.be.an('error');
      expect(readdirSync(base), path).to.deep.equal([]);
    }
  });

  it('takes nothing into a new folder of what a killed process left beside it', async () => {
    const left = `${folder}.${process.pid}.new`;
    mkdirSync(left);
    writeFileSync(join(left, 'old.rego'), 'old');
    await writeFolder(folder, [], [file('a.rego', 'a')]);
    expect([readdirSync(base), readdirSync(folder)]).to.deep.equal([['policies'], ['a.rego']]);
  });

  it('never leaves the folder', async () => {
    mkdirSync(folder);
    writeFileSync(join(base, 'out.rego'), 'out');
    mkdirSync(`${folder}-more`);
    for (const path of ['../out.rego', '../policies-more/a.rego', '.']) {
      expect(String(await rejection(writeFolder(folder, [], [file(path, 'x')]))), path).to.contain(
        'outside the folder',
      );
      expect(String(await rejection(clearFolder(folder, [path]))), path).to.contain('outside the folder');
    }
    expect(readFileSync(join(base, 'out.rego'), 'utf8')).to.equal('out');
    expect(readdirSync(`${folder}-more`)).to.deep.equal([]);
  });

  it('is refused before anything changes where nothing can be written', async () => {
    writeFileSync(folder, 'a file, and no folder');
    const refused = await rejection(writeFolder(folder, [], [file('a.rego', 'a')]));
    expect(refused).to.be.instanceOf(FolderReadOnly);
  });

  it('clears files that may be gone already, and a link without its target', async () => {
    await writeFolder(folder, [], [file('a.rego', 'a'), file('b.rego', 'b')]);
    symlinkSync('b.rego', join(folder, 'link.rego'));
    await clearFolder(folder, ['a.rego', 'link.rego', 'gone.rego']);
    expect(readdirSync(folder)).to.deep.equal(['b.rego']);
  });
});
