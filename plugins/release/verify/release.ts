import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { compile } from '../../../kernel/index.ts';
import {
  parseStrict,
  readSigners,
  readStaticLog,
  verifyStatement,
  type StatementReport,
  type StaticLog,
} from '../../receipts/contract.ts';
import pinned from '../pinned-keys.json' with { type: 'json' };
import {
  logFolder,
  proofFile,
  releaseLog,
  statementFile,
  statementSchema,
  unsignedFile,
  type ReleaseStatement,
  type Subject,
} from '../statement.ts';
import { verifyFiles, verifyFolder, type FileVerdict } from './files.ts';

/** What is verified, and where the texts that prove it are. */
export interface ReleaseFiles {
  /** Files of one release, or its folder. */
  readonly paths: readonly string[];
  readonly statement?: string;
  readonly proof?: string;
  readonly log?: string;
}

/** The keys that are trusted, and the heads of the log that were seen before. */
export interface ReleaseTrust {
  readonly signers: Signers;
  readonly seen: StatementSeen;
}

type Signers = NonNullable<ReturnType<typeof readSigners>>;
type StatementSeen = Parameters<typeof verifyStatement>[2]['seen'];

/** The result for files of a release. */
export interface ReleaseReport extends Omit<StatementReport, 'payload'> {
  readonly files: readonly FileVerdict[];
  readonly release?: { readonly version: string; readonly commit: string };
}

/** Reads the release keys to trust: a vkey, a file of them, or else those that the program holds. */
export async function readTrusted(key: string | undefined): Promise<Signers | undefined> {
  if (key === undefined) {
    const keys: readonly string[] = pinned.keys;
    return readSigners(`${keys.map((vkey) => `log ${vkey}\n`).join('')}quorum none\n`, releaseLog);
  }
  return readSigners(key, releaseLog) ?? readSigners(await readText(key), releaseLog);
}

/** Says why files cannot be verified with any key; undefined: their release has a signed statement. */
export async function unsignedRelease(given: ReleaseFiles): Promise<ReleaseReport | undefined> {
  const { folder, statement } = await placeOf(given);
  if ((await readText(statement)) !== '') return undefined;
  return unread(statement, (await readText(join(folder, unsignedFile))) !== '');
}

/** Verifies files against the signed statement of their release. */
export async function verifyRelease(given: ReleaseFiles, { signers, seen }: ReleaseTrust): Promise<ReleaseReport> {
  const unsigned = await unsignedRelease(given);
  if (unsigned !== undefined) return unsigned;
  const { first, folder, isFolder, statement } = await placeOf(given);
  const envelope = await readText(statement);
  const proof = await readText(given.proof ?? join(folder, proofFile));
  const log = readLog(given.log ?? join(folder, '..', logFolder));
  if (log === undefined && given.log !== undefined) return refused(`${given.log} holds no release log`, 3);
  if (typeof log === 'string') return refused(log, 5);
  const known = log === undefined ? { seen } : { seen, log };
  const { payload, ...report } = verifyStatement({ envelope, proof }, signers, known);
  if (payload === undefined) return { ...report, files: [] };
  const read = parseStrict(Buffer.from(payload).toString('utf8'));
  const faults = compile(statementSchema)(read);
  if (faults.length > 0) return refused('the signed statement is not one of a release', 2);
  const { predicate, subject } = read as ReleaseStatement;
  const files = isFolder
    ? await verifyFolder(first, subject)
    : await verifyFiles(namesOf(given.paths, folder), subject);
  const release = predicate.buildDefinition.externalParameters;
  return concluded({ ...report, files, release: { version: release.version, commit: release.commit } }, subject);
}

async function placeOf({ paths: [first = '.'], statement: named }: ReleaseFiles) {
  const isFolder = (await stat(first).catch(() => undefined))?.isDirectory() === true;
  const statement = resolve(named ?? join(isFolder ? first : dirname(first), statementFile));
  return { first, isFolder, statement, folder: dirname(statement) };
}

function concluded(report: ReleaseReport, subjects: readonly Subject[]): ReleaseReport {
  const twice = subjects.find(({ name }, at) => subjects.findIndex((one) => one.name === name) !== at);
  if (twice !== undefined) return refused(`the signed statement names ${twice.name} twice`, 2);
  const isWhole = report.files.every(({ result }) => result === 'pass');
  if (isWhole || report.exit !== 0) return report;
  return { ...report, overall: 'REJECTED', exit: 1, limits: [] };
}

/** Names files by their paths below the folder of the statement; those of another folder by their last part. */
function namesOf(paths: readonly string[], folder: string) {
  return paths.map((path) => {
    const below = relative(folder, resolve(path)).split(sep).join('/');
    return { path, name: below.startsWith('..') ? basename(path) : below };
  });
}

function readLog(folder: string): StaticLog | string | undefined {
  try {
    return readStaticLog(folder);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function unread(path: string, isUnsigned: boolean): ReleaseReport {
  const why = isUnsigned ? 'the release was built without a release key: nothing is signed' : `cannot read ${path}`;
  return { ...refused(why, 3), overall: 'NOTHING-TO-VERIFY' };
}

function refused(hint: string, exit: ReleaseReport['exit']): ReleaseReport {
  return { overall: 'REJECTED', exit, checks: [], limits: [], hint, files: [] };
}

function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
