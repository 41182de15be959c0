import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Operation, PlatformError } from '../../../../kernel/index.ts';
import { readFolder } from '../../../../plugins/policy/folder/read.ts';
import { createChanges, type ChangeOptions, type ChangesOptions } from '../../../../plugins/policy/changes/changes.ts';
import { enactAlone, type EnactmentOptions } from '../../../../plugins/policy/changes/enactment.ts';
import { revisionDigest } from '../../../../plugins/policy/revisions/revision.ts';
import type { Draft } from '../../../../plugins/policy/shapes.ts';

const file = (path: string, source: string) => ({ path, source });
const before = [file('a.rego', 'package a')];
const after = [file('a.rego', 'package a'), file('b.rego', 'package b')];

/** Changes on a folder of its own; `meanwhile` is called while the gates look at the wanted files. */
function create(meanwhile: (folder: string) => void = () => undefined, engineOf: object = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'orb-changes-'));
  const write = (path: string, source: string): void => writeFileSync(join(folder, path), source);
  for (const { path, source } of before) write(path, source);
  const done: string[] = [];
  const engine = {
    active: { digest: revisionDigest(before), files: before },
    build: async () => {
      done.push('gates');
      meanwhile(folder);
      return { revision: { digest: revisionDigest(after), files: after }, diagnostics: [] };
    },
    commit: async () => void done.push('commit'),
    serve: async () => void done.push('serve'),
    ...engineOf,
  };
  const options = {
    ...{
      engine,
      home: { own: folder, served: () => folder, read: (of = folder) => readFolder(of) },
      reads: {},
      log: {},
    },
    watch: { pause: async () => void done.push('pause'), resume: () => void done.push('resume') },
    store: {
      write: async (operations: readonly Operation[]) => void done.push(...operations.map(({ name }) => name)),
      peers: { everywhere: async () => void done.push('everywhere') },
    },
  } as unknown as EnactmentOptions & ChangesOptions;
  const changes = createChanges({ ...options, enactment: enactAlone(options) });
  const change = (more: Partial<ChangeOptions> = {}, drafts: readonly Draft[] = []): Promise<string> =>
    changes
      .change(() => ({ files: after, drafts }), { actor: 'prn_1', ...more })
      .then(
        () => 'changed',
        ({ code }: PlatformError) => code,
      );
  const tidy = (): void => rmSync(folder, { recursive: true });
  return { change, done, tidy, write, files: () => readdirSync(folder).sort() };
}

describe('a change of what is in force', () => {
  const whole = ['pause', 'gates', 'commit', 'serve', 'settle', 'resume', 'everywhere'];

  it('is committed, written to the folder and served, while nobody looks at the folder', async () => {
    const { change, done, files, tidy } = create();
    expect([await change(), done, files()]).to.deep.equal(['changed', whole, ['a.rego', 'b.rego']]);
    tidy();
  });

  it('is refused before the gates look when the folder is not what is in force, unless it is to be replaced', async () => {
    const { change, done, files, tidy, write } = create();
    write('dropped.rego', 'package dropped');
    expect([await change(), done]).to.deep.equal(['precondition_failed', ['pause', 'resume']]);
    expect(await change({ overwrite: true })).to.equal('changed');
    expect(files()).to.deep.equal(['a.rego', 'b.rego']);
    tidy();
  });

  it('is refused after them when a file was added meanwhile: nothing is committed, and the file stays', async () => {
    const { change, done, files, tidy } = create((folder) => writeFileSync(join(folder, 'late.rego'), 'package late'));
    expect([await change(), done]).to.deep.equal(['precondition_failed', ['pause', 'gates', 'resume']]);
    expect(files()).to.deep.equal(['a.rego', 'late.rego']);
    expect(await change({ overwrite: true })).to.equal('changed');
    expect(files()).to.deep.equal(['a.rego', 'b.rego']);
    tidy();
  });

  it('is refused, with overwrite too, when it adds drafts to no revision: they would replace the whole folder', async () => {
    const { change, done, files, tidy } = create(undefined, { active: undefined });
    expect(
      await change({ overwrite: true }, [{ id: 'b', source: 'package b', updated_at: '', updated_by: '' }]),
    ).to.equal('precondition_failed');
    expect([done, files()]).to.deep.equal([['pause', 'resume'], ['a.rego']]);
    // An earlier revision is whole without what is in force.
    expect(await change({ overwrite: true })).to.equal('changed');
    tidy();
  });

  it('is refused when another revision is in force than the caller expects', async () => {
    const { change, done, tidy } = create();
    expect(await change({ ifMatch: '"sha256:other"' })).to.equal('precondition_failed');
    expect(done).to.deep.equal(['pause', 'resume']);
    expect(await change({ ifMatch: `"${revisionDigest(before)}"` })).to.equal('changed');
    tidy();
  });
});
