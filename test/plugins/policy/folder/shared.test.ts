import { expect } from 'chai';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { digestOf } from '../../../../kernel/config/program-folder.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';
import { policyHome } from '../../../../plugins/policy/folder/home.ts';
import { folderFile, SharedFolder, type SharedFolderOptions } from '../../../../plugins/policy/folder/shared.ts';
import { revisionDigest, type Revision } from '../../../../plugins/policy/revisions/revision.ts';

type Texts = Readonly<Record<string, string>>;

function revisionOf(texts: Texts): Revision {
  const files = Object.entries(texts).map(([path, source]) => ({ path, source }));
  const compiled = { wasm: new Uint8Array(), policies: [], entrypoints: {}, data: {} };
  return { ...compiled, files, digest: revisionDigest(files) };
}

describe('the policies folder beside a store that several nodes share', () => {
  const [first, second, third] = [
    revisionOf({ 'a.rego': 'package a', 'b.rego': 'package b' }),
    revisionOf({ 'a.rego': 'package a', 'b.rego': 'package b\n' }),
    revisionOf({ 'c.rego': 'package c' }),
  ];
  let base: string;
  let own: string;
  let known: readonly Revision[];
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'orb-shared-folder-'));
    own = join(base, 'policies');
    known = [first, second];
    mkdirSync(join(base, 'shipped'));
    writeFileSync(join(base, 'shipped', 's.rego'), 'package s');
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  const write = (texts: Texts): void => {
    rmSync(own, { recursive: true, force: true });
    mkdirSync(own);
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(own, name), text);
  };
  const held = ({ files }: Revision): Texts => Object.fromEntries(files.map(({ path, source }) => [path, source]));
  const texts = (): Texts =>
    Object.fromEntries(readdirSync(own).map((name) => [name, readFileSync(join(own, name), 'utf8')]));
  // Of a program whose list names what its folder holds.
  const shipped = {
    get folder() {
      return join(base, 'shipped');
    },
    digests: () =>
      new Map(readdirSync(shipped.folder).map((name) => [name, digestOf(join(shipped.folder, name)) ?? ''])),
  };
  /** A start of the server. */
  const started = async (active?: Revision): Promise<SharedFolder> => {
    const find = (digest: string): Revision | undefined => known.find((one) => one.digest === digest);
    const reads = { revision: find, revisionRow: find } as unknown as SharedFolderOptions['reads'];
    const home = policyHome(base, shipped);
    const folder = new SharedFolder({ home, stateDir: base, reads, log: silentLog });
    await folder.open(active?.digest);
    return folder;
  };
  const state = (folder: SharedFolder, active: Revision) => folder.look(active.digest);

  it('is written when it holds what was active before', async () => {
    write(held(first));
    const folder = await started(first);
    await folder.note(first.digest);
    expect(await state(folder, second)).to.equal('behind');
    expect(await folder.bring(second), 'to be looked at once more').to.equal(false);
    expect(await folder.bring(second)).to.equal(true);
    expect(texts()).to.deep.equal(held(second));
    expect(folder.base).to.equal(second.digest);
  });

  it('keeps what was changed in it, and every file that is none of ours', async () => {
    write(held(first));
    const folder = await started(first);
    await folder.note(first.digest);
    write({ ...held(first), 'mine.rego': 'package mine', 'notes.txt': 'x' });
    expect(await state(folder, first)).to.equal('changed');
    expect(await state(folder, second)).to.equal('apart');
    await folder.bring(second);
    expect(texts()).to.have.all.keys('a.rego', 'b.rego', 'mine.rego', 'notes.txt');
    await folder.bring(second, { overwrite: true });
    expect(texts()).to.deep.equal({ ...held(second), 'notes.txt': 'x' });
  });

  it('that was changed while the server was down is based on what it held before', async () => {
    write(held(first));
    await (await started(first)).note(first.digest);
    write({ ...held(first), 'night.rego': 'package night' });
    expect(await state(await started(first), first)).to.equal('changed');
    expect(await state(await started(second), second)).to.equal('apart');
  });

  it('that holds a revision of the store at the start is written over: an image brings back no earlier one', async () => {
    write(held(second));
    await (await started(second)).note(second.digest);
    write(held(first));
    const folder = await started(second);
    expect(await state(folder, second)).to.equal('behind');
    await folder.bring(second);
    write(held(third));
    expect(await state(await started(second), second), 'unknown to the store').to.equal('changed');
  });

  it('that holds what the store does not know does not count when its server joins', async () => {
    write(held(third));
    const folder = await started(first);
    expect([await state(folder, first), folder.base]).to.deep.equal(['apart', undefined]);
  });

  it('is made where the home has none, and once more when it was lost', async () => {
    const folder = await started(first);
    expect(await state(folder, first)).to.equal('behind');
    await folder.bring(first);
    expect(texts()).to.deep.equal(held(first));
    rmSync(own, { recursive: true });
    const again = await started(first);
    expect(await state(again, first)).to.equal('behind');
    await again.bring(first);
    expect(texts()).to.deep.equal(held(first));
  });

  it('stays the shipped one, which a new version of the program may change', async () => {
    const folder = await started();
    const shipped = revisionOf({ 's.rego': 'package s' });
    await folder.note(shipped.digest);
    writeFileSync(join(base, 'shipped', 's.rego'), 'package s\n');
    expect(await state(await started(shipped), shipped)).to.equal('changed');
    expect(existsSync(own)).to.equal(false);
  });

  it('is written to the end after a death in the middle', async () => {
    write(held(first));
    await (await started(first)).note(first.digest);
    writeFileSync(join(base, folderFile), JSON.stringify({ base: first.digest, own: true, writing: second.digest }));
    write({ 'a.rego': 'package a', 'b.rego': 'package b\n' });
    rmSync(join(own, 'a.rego'));
    const folder = await started(second);
    expect(await state(folder, second)).to.equal('behind');
    expect(await state(folder, third), 'another one was activated since').to.equal('behind');
    await folder.bring(second);
    expect(texts()).to.deep.equal(held(second));
    write({ ...held(second), 'mine.rego': 'package mine' });
    expect(await state(folder, second)).to.equal('changed');
  });

  it('says when it takes no writes, and needs none where the home has no folder', async () => {
    const bare = await started(first);
    expect(await bare.refusesWrites()).to.equal(false);
    writeFileSync(own, 'a file, and no folder');
    const folder = await started(first);
    expect(await folder.refusesWrites()).to.equal(true);
    expect(folder.readOnly).to.equal(false);
    await folder.bring(first, { overwrite: true });
    expect(folder.readOnly).to.equal(true);
  });
});
