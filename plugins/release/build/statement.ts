import { execFileSync } from 'node:child_process';
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { canonical, compile } from '../../../kernel/index.ts';
import { signStatement, statementType } from '../../receipts/contract.ts';
import {
  buildType,
  logFolder,
  proofFile,
  provenanceType,
  releaseLog,
  statementFile,
  statementFiles,
  statementSchema,
  unsignedFile,
  type ReleaseStatement,
  type Subject,
} from '../statement.ts';
import { digestsOf, releasedFiles } from '../verify/files.ts';

/** The release that a statement is about. */
export interface Built {
  /** The folder of the checkout. */
  readonly root: string;
  /** The folder whose files are the release. */
  readonly folder: string;
  readonly version: string;
  readonly commit: string;
  /** Time of the commit, in seconds since 1970. */
  readonly epoch: number;
}

// They pin what the build takes from elsewhere.
const locks = [
  'package-lock.json',
  'plugins/policy/compiler/go.sum',
  'plugins/release/build/image/base.json',
  'plugins/release/build/linux/nfpm/go.sum',
  'plugins/release/build/runtimes.json',
];
const bundlers = ['esbuild', 'postject', 'rolldown'];

/**
 * Writes the statement over all files of the release. With a release key (a PEM file that `ORB_RELEASE_KEY` names) it is
 * signed and entered into the release log, whose files lie next to the folders of the releases.
 */
export async function statement(release: Built): Promise<void> {
  const vkey = await writeStatement(release, toolVersions(release.root), process.env['ORB_RELEASE_KEY']);
  if (vkey !== undefined) console.log(`release: signed by ${vkey}`);
  else console.error('release: the statement is not signed: ORB_RELEASE_KEY names no release key');
}

/**
 * Writes the statement of a release that these tools built; `keyFile`: the release key, without which it is not signed.
 * Answers the public key as a vkey.
 */
export async function writeStatement(
  release: Built,
  tools: Readonly<Record<string, string>>,
  keyFile: string | undefined,
): Promise<string | undefined> {
  const { folder } = release;
  for (const name of statementFiles) rmSync(join(folder, name), { force: true });
  const payload = canonical(await statementOf(release, tools));
  if (keyFile === undefined) {
    writeFileSync(join(folder, unsignedFile), `${payload}\n`);
    return undefined;
  }
  const privateKey = createPrivateKey(readFileSync(keyFile));
  if (privateKey.asymmetricKeyType !== 'ed25519') throw new Error('the release key is not an Ed25519 key');
  const log = join(dirname(folder), logFolder);
  mkdirSync(log, { recursive: true });
  const signed = signStatement(Buffer.from(payload), privateKey, { folder: log, origin: releaseLog });
  writeFileSync(join(folder, statementFile), `${JSON.stringify(signed.envelope, undefined, 2)}\n`);
  writeFileSync(join(folder, proofFile), signed.proof);
  writeFileSync(join(log, 'key.pem'), createPublicKey(privateKey).export({ format: 'pem', type: 'spki' }));
  return signed.vkey;
}

async function statementOf(
  { commit, epoch, folder, root, version }: Built,
  tools: Readonly<Record<string, string>>,
): Promise<ReleaseStatement> {
  const subject: Subject[] = [];
  for (const name of await releasedFiles(folder)) subject.push({ name, digest: await digestsOf(join(folder, name)) });
  const pinned: { name: string; digest: Record<string, string> }[] = [];
  for (const name of locks.filter((lock) => existsSync(join(root, lock))))
    pinned.push({ name, digest: { sha256: (await digestsOf(join(root, name))).sha256 } });
  const made: ReleaseStatement = {
    _type: statementType,
    subject,
    predicateType: provenanceType,
    predicate: {
      buildDefinition: {
        buildType,
        externalParameters: { version, commit },
        internalParameters: { source_date_epoch: epoch },
        resolvedDependencies: [{ name: 'source', digest: { gitCommit: commit } }, ...pinned],
      },
      runDetails: { builder: { id: 'urn:agent-orb:npm-run-release:v1', version: { ...tools } } },
    },
  };
  const faults = compile(statementSchema)(made);
  if (faults.length > 0) throw new Error(`the statement of the release is wrong: ${JSON.stringify(faults)}`);
  return made;
}

function toolVersions(root: string): Record<string, string> {
  const said = (command: string, ...words: readonly string[]): string =>
    execFileSync(command, words, { encoding: 'utf8', cwd: root }).trim();
  const installed = (name: string): string =>
    (JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')) as { version: string }).version;
  return {
    node: process.versions.node,
    npm: said('npm', '--version'),
    go: said('go', 'env', 'GOVERSION').replace(/^go/, ''),
    ...Object.fromEntries(bundlers.map((name) => [name, installed(name)])),
  };
}
