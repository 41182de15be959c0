import { defineCommand, type Command, type CommandCall } from '../../../kernel/index.ts';
import { readKnownLogs, readPinned, trustOptions, type Trust } from '../../receipts/contract.ts';
import { replay } from '../replay/replay.ts';
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
  const report = await replay({ logs, snapshots: due, lines: () => verified.lines() });
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
