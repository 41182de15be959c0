import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeProgram } from '../../kit/binary/contents.ts';
import { gzipped, tarball } from '../../kit/packages/tar.ts';
import { programParts } from './bundled.ts';
import { noticeOf } from './parts/notice-page.ts';
import type { Release } from './release.ts';

/**
 * Packs the program for npm: `npx agent-orb-platform` starts a server in the current folder. It holds what it needs, as
 * an executable does, so that nothing is downloaded, compiled or chosen by others when it is installed.
 */
export async function npm(release: Release): Promise<void> {
  const { epoch, folder, packing, root, version, work } = release;
  const dir = mkdtempSync(join(work, 'npm-'));
  try {
    // In a folder of its own: npm removes packages that it did not choose from the one of a package.
    const folders = await writeProgram(root, join(dir, 'program'), packing);
    writeFileSync(join(dir, 'NOTICE'), noticeOf(programParts(release, folders), version));
    cpSync(join(root, 'plugins/release/build/npm'), dir, { recursive: true });
    cpSync(join(root, 'LICENSE'), join(dir, 'LICENSE'));
    writeFileSync(join(dir, 'package.json'), `${JSON.stringify(manifestOf(root), null, 2)}\n`);
    const entries = readdirSync(dir, { recursive: true, encoding: 'utf8' })
      .filter((path) => statSync(join(dir, path)).isFile())
      .map((path) => ({ path: `package/${path}`, content: readFileSync(join(dir, path)) }));
    writeFileSync(join(folder, `agent-orb-platform-${version}.tgz`), gzipped(tarball(entries, epoch), packing));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function manifestOf(root: string): object {
  const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Readonly<Record<string, unknown>>;
  const { name, version, description, license } = own;
  return {
    ...{ name, version, description, license },
    type: 'commonjs',
    engines: { node: '>=22.19' },
    // npx starts the one that has the name of the package.
    bin: { 'agent-orb-platform': 'start.mjs', orb: 'orb.mjs' },
  };
}
