import { defineCommand, type Command, type CommandCall, type OnProgress } from '../../../kernel/index.ts';
import { readKnownLogs, readPinned, trustOptions, type Trust } from '../../receipts/contract.ts';
import type { Line } from '../fact/line.ts';
import { atServer, inFolder, UnreadableExport } from './contents.ts';
import { VerifiedExport } from './verified.ts';

/**
 * `orb ledger replay`: recomputes the whole log; exit 0 equal, 1 a difference or a refused entry, 2 malformed, 3 no keys,
 * no log, a missing file, or a server that could not be read, 5 a log that is missing or forked.
 */
export const replayLedger: Command = defineCommand({
  path: 'ledger replay',
  summary: 'verify the log, rebuild the ledger from it and compare the digest of every snapshot',
  args: [{ name: 'folder', description: 'An export; default: the log of the running server', optional: true }],
  options: trustOptions,
  async run(call) {
    const trust = await readPinned(call);
    if (trust === undefined) return 3;
    try {
      return await replayed(call, trust);
    } catch (error) {
      if (!(error instanceof UnreadableExport)) throw error;
      call.note(error.message);
      return error.exit;
    }
  },
});

async function replayed(call: CommandCall, trust: Trust): Promise<number> {
  const [folder] = call.args;
  const exported = await (folder === undefined ? atServer(call.client()) : inFolder(folder));
  const { logs, snapshots: due } = exported.contents;
  if (logs.length === 0) throw new UnreadableExport(3, 'the export lists no log, so there is nothing to verify');
  const verified = new VerifiedExport(exported, trust, await readKnownLogs(call, trust));
  const total = logs.reduce((sum, { tree_size }) => sum + tree_size, 0);
  const progress = call.bar?.part(`${folder ?? 'the ledger'}: entries`);
  const { replay } = await import('../replay/replay.ts');
  const report = await replay({ logs, snapshots: due, lines: () => withProgress(verified.lines(), total, progress) });
  verified.finish(report.digests);
  const found = [...verified.differences, ...report.differences];
  const differences = [...found, ...verified.forks];
  const snapshots = [...report.digests].map(([day, digest]) => ({ day, digest }));
  const equal = differences.length === 0;
  if (equal) await verified.remember();
  const counted = `${report.entries} entries, ${snapshots.length} snapshots`;
  const text = equal ? `${counted}: every digest is the same` : `${counted}: ${differences.join('\n  ')}`;
  call.print({ equal, entries: report.entries, snapshots, differences }, text);
  if (equal) return 0;
  return found.length > 0 ? 1 : 5;
}

async function* withProgress(lines: AsyncIterable<Line>, total: number, progress?: OnProgress): AsyncGenerator<Line> {
  let read = 0;
  for await (const line of lines) {
    progress?.(++read, total);
    yield line;
  }
}
