import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFolder, type Snapshot } from '../../../plugins/policy/folder/read.ts';
import { watchFolder, type FolderWatch } from '../../../plugins/policy/folder/watch.ts';

describe('the first look at the policies folder', () => {
  let folder: string;
  let watch: FolderWatch;
  const told: (Snapshot | undefined)[] = [];
  const begin = (debounceMs: number, fixed?: string): Promise<void> => {
    const settled = (snapshot: Snapshot | undefined) => Promise.resolve(told.push(snapshot) > 0);
    watch = watchFolder(() => folder, {
      pollMs: 60_000,
      debounceMs,
      read: readFolder,
      settled,
      ...(fixed === undefined ? {} : { fixed }),
    });
    return watch.look();
  };
  const texts = (): readonly string[] => (told[0]?.files ?? []).map(({ bytes }) => Buffer.from(bytes).toString());
  beforeEach(() => {
    told.length = 0;
    folder = mkdtempSync(join(tmpdir(), 'orb-watch-'));
    writeFileSync(join(folder, 'a.rego'), 'package a\n');
  });
  afterEach(async () => {
    await watch.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('waits until a folder that was just written has come to rest', async () => {
    const looked = begin(200);
    setTimeout(() => writeFileSync(join(folder, 'b.rego'), 'package b\n'), 60);
    await looked;
    expect(texts()).to.deep.equal(['package a\n', 'package b\n']);
  });

  it('does not wait for a folder that nobody writes', async () => {
    await begin(3_600_000, folder);
    expect(texts()).to.deep.equal(['package a\n']);
  });
});

describe('a check of the policies folder that is under way', () => {
  for (const end of ['pause', 'stop'] as const)
    it(`is waited for by ${end}`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'orb-watch-'));
      const read = Promise.withResolvers<Snapshot>();
      const begun = Promise.withResolvers<void>();
      const steps: string[] = [];
      const watch = watchFolder(() => folder, {
        ...{ pollMs: 60_000, debounceMs: 1, fixed: folder },
        read: () => (begun.resolve(), read.promise),
        settled: () => Promise.resolve(steps.push('settled') > 0),
      });
      void watch.look();
      await begun.promise;
      const ended = watch[end]().then(() => steps.push(end));
      // Longer than it takes not to wait.
      await new Promise((resolve) => setTimeout(resolve, 20));
      read.resolve({ files: [], diagnostics: [] });
      await ended;
      expect(steps).to.deep.equal(['settled', end]);
      await watch.stop();
      rmSync(folder, { recursive: true });
    });
});
