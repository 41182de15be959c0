import { StoreDamaged } from '../../../kernel/maintenance.ts';
import { readCheckpoint } from '../log/pure/note.ts';
import { parsePolicy } from '../log/pure/policy-file.ts';
import { shardOf } from '../verifier/position.ts';
import { parseStrict, isRecord } from '../format/strict-json.ts';
import { missingLog, type Comparison, type LogReport } from './logs.ts';
import { logsOf } from '../verifier/trust-store/known-logs.ts';
import { atUrl, filesSource, inFolder, type ReadLogFile } from './remote-source.ts';
import { checkTree, flawAt } from './tree.ts';

/**
 * Checks all logs at an address such as `https://orb.example/log`, or in a folder of the same files: the current log
 * there, and every shard below it that is published (`policy`, `shards`), pinned or remembered.
 */
export async function checkFiles(base: string, known: Comparison): Promise<LogReport[]> {
  const read = readerOf(base);
  const shown = await originOf(read);
  if (shown === undefined) return [await checkTree(filesSource(read), known)];
  const top = aboveShard(base.replace(/\/$/, ''), shardOf(shown));
  const published = [...(await publishedAt(readerOf(top))), ...(await listedAt(readerOf(top)))];
  const reports: LogReport[] = [];
  for (const origin of logsOf([...new Set([...published, shown])], known.expected)) {
    const reader = origin === shown ? read : readerOf(`${top}/${encodeURIComponent(shardOf(origin))}`);
    reports.push(await checkOne(origin, reader, known));
  }
  return reports;
}

// The address of a single shard is below the current one's, next to the addresses of the other shards.
function aboveShard(base: string, shard: string): string {
  if (base === shard) return '.';
  return base.endsWith(`/${shard}`) ? base.slice(0, -shard.length - 1) : base;
}

async function checkOne(origin: string, read: ReadLogFile, known: Comparison): Promise<LogReport> {
  try {
    if ((await originOf(read)) !== origin) return missingLog(origin, known.expected);
    const tree = await checkTree(filesSource(read), known);
    // A server may answer each question by another log.
    if (tree.checkpoint !== undefined && tree.checkpoint.origin !== origin) return missingLog(origin, known.expected);
    return { origin, ...tree };
  } catch (error) {
    return { origin, ...unreadable('checkpoint', error) };
  }
}

/** Reports a log that could not be read, which is no verdict on it (exit 3), or whose store is damaged. */
export function unreadable(where: string, error: unknown): LogReport {
  const what = error instanceof Error ? error.message : String(error);
  if (error instanceof StoreDamaged) return { flaws: [flawAt(where, `is damaged: ${what}`)] };
  return { unread: true, flaws: [flawAt(where, `was not checked, because it cannot be read: ${what}`, 3)] };
}

function readerOf(base: string): ReadLogFile {
  return /^https?:\/\//.test(base) ? atUrl(base) : inFolder(base);
}

async function originOf(read: ReadLogFile): Promise<string | undefined> {
  return readCheckpoint(textOf(await read('checkpoint')))?.checkpoint.origin;
}

// The list is not signed: it can only add names of logs that must exist.
async function publishedAt(read: ReadLogFile): Promise<readonly string[]> {
  const policy = parsePolicy(textOf(await read('policy')));
  return (policy?.logs ?? []).map(({ name }) => name);
}

// The list of a server, in pages; a folder has none, and an older server neither.
async function listedAt(read: ReadLogFile): Promise<readonly string[]> {
  const found: string[] = [];
  for (let after: unknown = ''; typeof after === 'string';) {
    const bytes = await read(after === '' ? 'shards' : `shards?after=${encodeURIComponent(after)}`);
    const page = parseStrict(textOf(bytes));
    const shards = isRecord(page) && Array.isArray(page['shards']) ? page['shards'] : [];
    const fresh = shards.flatMap((shard) => (isRecord(shard) ? String(shard['origin']) : []));
    after = fresh.some((origin) => !found.includes(origin)) && isRecord(page) ? page['next'] : undefined;
    found.push(...fresh);
  }
  return found;
}

function textOf(bytes: Uint8Array | undefined): string {
  return new TextDecoder().decode(bytes);
}
