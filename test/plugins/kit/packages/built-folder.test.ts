import { expect } from 'chai';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildFolder, sourcesDigest } from '../../../../plugins/kit/packages/built-folder.ts';

describe('a folder that is built from sources', () => {
  let root: string;
  let builds: number;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'orb-built-'));
    builds = 0;
    mkdirSync(join(root, 'src/left-out'), { recursive: true });
    for (const path of ['src/a', 'src/left-out/b', 'LICENSE']) writeFileSync(join(root, path), 'one');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const sources = { from: ['src', 'LICENSE'], includes: (path: string) => !path.includes('left-out') };
  const build = (fails = false): Promise<void> =>
    buildFolder({
      ...{ root, target: 'dist/made', ...sources },
      async write(folder) {
        builds += 1;
        writeFileSync(join(folder, 'built'), String(builds));
        if (fails) throw new Error('the bundler is missing');
      },
    });
  const built = (): string => readFileSync(join(root, 'dist/made/built'), 'utf8');
  const change = (path: string, text: string): void => writeFileSync(join(root, path), text);

  it('is built again when a source changes, and only then', async () => {
    await build();
    change('src/left-out/b', 'two');
    await build();
    expect(built()).to.equal('1');
    for (const [at, path] of ['src/a', 'src/c', 'LICENSE'].entries()) {
      change(path, 'two');
      await build();
      expect(built(), path).to.equal(String(at + 2));
    }
    expect(readdirSync(join(root, 'dist'))).to.deep.equal(['made']);
  });

  it('stays as it was when a build fails', async () => {
    await build();
    change('src/a', 'two');
    expect(await build(true).catch((error: unknown) => (error as Error).message)).to.equal('the bundler is missing');
    expect(built()).to.equal('1');
    expect(readdirSync(join(root, 'dist'))).to.deep.equal(['made']);
  });

  it('has a digest that tells a moved file, and the end of one from the begin of the next', () => {
    const digests = new Set([sourcesDigest(root, sources)]);
    for (const [a, c] of [
      ['on', 'e'],
      ['o', 'ne'],
      ['', 'one'],
    ] as const) {
      change('src/a', a);
      change('src/c', c);
      digests.add(sourcesDigest(root, sources));
    }
    expect(digests.size).to.equal(4);
  });
});
