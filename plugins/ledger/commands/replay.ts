import { defineCommand, type Command, type CommandCall } from '../../../kernel/index.ts';
import { readPinned, trustOptions, type Trust } from '../../receipts/contract.ts';
import { replay } from '../replay/replay.ts';
import { atServer, inFolder, LedgerUnread } from './contents.ts';
import { VerifiedExport } from './verified.ts';

/**
 * `orb ledger replay`: recomputes the whole log; exit 0 equal, 1 a difference or a refused entry, 3 no keys, or the ledger
 * could not be read.
 */
export const replayLedger: Command = defineCommand({
  path: 'ledger replay',
  summary: 'verify the log, rebuild the ledger from it and compare the digest of every snapshot',
  args: [{ name: 'folder', description: 'An export; default: the log of the running server', optional: true }],
  options: trustOptions,
  async run(call) {
    const trust = await readPinned(call);
    if (trust === undefined) return 3;
    return compare(call, trust).catch((error: unknown) => {
      if (!(error instanceof LedgerUnread)) throw error;
      call.note(`the ledger could not be read, so nothing was compared: ${error.message}; run the command again`);
      return 3;
    });
  },
});

async function compare(call: CommandCall, trust: Trust): Promise<number> {
  const [folder] = call.args;
  const exported = await (folder === undefined ? atServer(call.client()) : inFolder(folder));
  const verified = new VerifiedExport(exported, trust);
  const { logs, snapshots: due } = exported.contents;
  const report = await replay({ logs, snapshots: due, lines: () => verified.lines() });
  verified.finish(report.digests);
  const differences = [...verified.differences, ...report.differences];
  const snapshots = [...report.digests].map(([day, digest]) => ({ day, digest }));
  const equal = differences.length === 0;
  const counted = `${report.entries} entries, ${snapshots.length} snapshots`;
  const text = equal ? `${counted}: every digest is the same` : `${counted}: ${differences.join('\n  ')}`;
  call.print({ equal, entries: report.entries, snapshots, differences }, text);
  return equal ? 0 : 1;
}
