import { generateKeyPairSync } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checksums } from '../../../plugins/release/build/checksums.ts';
import { writeStatement } from '../../../plugins/release/build/statement.ts';
import { verifyReleaseCommand } from '../../../plugins/release/verify/command.ts';
import type { ReleaseReport } from '../../../plugins/release/verify/release.ts';
import { runCommand, type Said } from '../../helpers/command.ts';
import { packageDir } from '../../helpers/folder.ts';

/** The files of a small release, by their names. */
export const artefacts = {
  NOTICE: 'licences\n',
  'orb-1.0.0-linux-x64': '\x7fELF of x64',
  'orb-1.0.0-linux-arm64': '\x7fELF of arm64',
  'chart/values.yaml': 'replicas: 1\n',
} as const;

/** A folder with a release of small files, a state dir and release keys. */
export class MadeRelease {
  readonly dir = mkdtempSync(join(tmpdir(), 'orb-release-'));
  readonly state = join(this.dir, 'state');
  readonly keys = { owner: this.#key('owner'), stranger: this.#key('stranger') };

  constructor() {
    mkdirSync(this.state);
  }

  /** Writes and signs a release of these files; `key` names the one that signs. */
  async build(version: string, key: 'owner' | 'stranger' | 'none' = 'owner', files = artefacts): Promise<string> {
    const folder = this.folder(version);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(join(folder, 'chart'), { recursive: true });
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    await checksums({ folder });
    const release = { root: packageDir, folder, version, commit: 'c'.repeat(40), epoch: 1_700_000_000 };
    const tools = { node: '24.0.0' };
    await writeStatement(release, tools, key === 'none' ? undefined : this.keys[key].secret);
    return folder;
  }

  folder(version: string): string {
    return join(this.dir, 'dist', version);
  }

  /** Keeps a copy of the release log as it is now. */
  copyLog(name: string): string {
    const copy = join(this.dir, name);
    cpSync(join(this.dir, 'dist/log'), copy, { recursive: true });
    return copy;
  }

  verify(paths: readonly string[], options: Readonly<Record<string, string>> = {}): Promise<Said<ReleaseReport>> {
    return runCommand(verifyReleaseCommand, this.state, paths, { options: { key: this.keys.owner.pem, ...options } });
  }

  text(version: string, name: string): string {
    return readFileSync(join(this.folder(version), name), 'utf8');
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }

  #key(name: string): { readonly secret: string; readonly pem: string } {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const [secret, pem] = [join(this.dir, `${name}.key`), join(this.dir, `${name}.pem`)];
    writeFileSync(secret, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
    writeFileSync(pem, publicKey.export({ format: 'pem', type: 'spki' }));
    return { secret, pem };
  }
}

/** Lists the files that a report refuses, each with why. */
export function refusedIn({ files }: ReleaseReport): readonly string[] {
  return files.filter(({ result }) => result === 'fail').map(({ detail, name }) => `${name} ${detail}`);
}
