import { expect } from 'chai';
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { limits } from '../../../../plugins/policy/folder/gate.ts';
import { readFolder, restsSince, signatureOf } from '../../../../plugins/policy/folder/read.ts';

describe('reading the policies folder', () => {
  let base: string;
  let folder: string;
  const put = (path: string, text = 'x'): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const read = async () => {
    const { files, diagnostics } = await readFolder(folder);
    return {
      files: files.map(({ path }) => path),
      faults: diagnostics.map(({ file, code, severity }) => `${file} ${code} ${severity}`),
    };
  };
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'orb-folder-'));
    folder = join(base, 'policies');
    mkdirSync(folder);
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  it('finds policies at any depth and data in its places, sorted, with their bytes', async () => {
    const names = ['b.rego', 'a/c.rego', 'a/b/d.rego', 'data.json', 'data/x.json'];
    for (const name of names) put(name);
    for (const name of ['notes.txt', 'x.json', 'a/data.json', '.hidden.rego', '.git/a.rego', 'b.rego~']) put(name);
    put('b.rego', 'package b');
    expect(await read()).to.deep.equal({
      files: ['a/b/d.rego', 'a/c.rego', 'b.rego', 'data/x.json', 'data.json'],
      faults: [],
    });
    const { files } = await readFolder(folder);
    expect(Buffer.from(files[2]?.bytes ?? []).toString()).to.equal('package b');
  });

  it('follows a link within the folder, and none that leads out of it', async () => {
    put('a.rego');
    mkdirSync(`${folder}-more`);
    writeFileSync(join(base, 'out.rego'), 'x');
    writeFileSync(join(`${folder}-more`, 'out.rego'), 'x');
    symlinkSync('a.rego', join(folder, 'inside.rego'));
    symlinkSync('../out.rego', join(folder, 'outside.rego'));
    symlinkSync(`${folder}-more/out.rego`, join(folder, 'sibling.rego'));
    symlinkSync('nowhere.rego', join(folder, 'dangling.rego'));
    symlinkSync('.', join(folder, 'itself'));
    symlinkSync('../out.rego', join(folder, 'notes.txt'));
    expect(await read()).to.deep.equal({
      files: ['a.rego', 'inside.rego'],
      faults: [
        'dangling.rego unreadable error',
        'itself not_a_file error',
        'outside.rego link_outside error',
        'sibling.rego link_outside error',
      ],
    });
  });

  it('reads a file of the greatest size, and none above it', async () => {
    put('a.rego', 'x'.repeat(limits.bytes));
    put('b.rego', 'x'.repeat(limits.bytes + 1));
    expect(await read()).to.deep.equal({ files: ['a.rego'], faults: ['b.rego file_too_large error'] });
  });

  it('reads one file more than allowed, so that the gate sees it, and no further', async () => {
    for (let index = 0; index < limits.files + 3; index += 1) put(`p${String(index).padStart(5, '0')}.rego`, '');
    expect((await read()).files).to.have.length(limits.files + 1);
  });

  it('cannot be done where there is no folder', async () => {
    rmSync(folder, { recursive: true });
    expect(await readFolder(folder).catch(({ code }: NodeJS.ErrnoException) => code)).to.equal('ENOENT');
    expect(await signatureOf(folder)).to.equal('unreadable ENOENT');
    expect(await restsSince(folder, 0)).to.equal(false);
  });

  it('is due again after any write, and after nothing else', async () => {
    put('a.rego');
    put('sub/b.rego');
    const first = await signatureOf(folder);
    expect(await signatureOf(folder)).to.equal(first);
    put('notes.txt');
    expect(await signatureOf(folder)).to.equal(first);
    const seen = [first];
    const changes: readonly (() => void)[] = [
      () => put('sub/b.rego', 'longer'),
      () => utimesSync(join(folder, 'a.rego'), 1, 1),
      () => put('c.rego'),
      () => rmSync(join(folder, 'sub/b.rego')),
      () => symlinkSync('nowhere.rego', join(folder, 'gone.rego')),
      () => linkSync(join(folder, 'a.rego'), join(folder, 'd.rego')),
    ];
    for (const change of changes) {
      change();
      seen.push(await signatureOf(folder));
    }
    expect(new Set(seen)).to.have.property('size', changes.length + 1);
  });

  it('tells whether anything below was written lately', async () => {
    put('sub/b.rego');
    expect(await restsSince(folder, 3_600_000)).to.equal(false);
    expect(await restsSince(folder, -3_600_000)).to.equal(true);
  });
});
