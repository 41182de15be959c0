import { defineCommand, type Command } from '../../../kernel/index.ts';
import { replay, type ReplayReport } from '../replay/replay.ts';
import { scoringPolicy } from '../score/model.ts';
import { atServer, inFolder, type Contents, type Exported } from './contents.ts';

/** `orb ledger replay`: folds the whole log from nothing; exit 0 equal, 1 a difference or a refused entry, 3 unreadable. */
export const replayLedger: Command = defineCommand({
  path: 'ledger replay',
  summary: 'rebuild the ledger from the log and compare the digest of every snapshot',
  args: [{ name: 'folder', description: 'An export; default: the log of the running server', optional: true }],
  async run(call) {
    const [folder] = call.args;
    const exported = await (folder === undefined ? atServer(call.client()) : inFolder(folder));
    const report = await replayOf(exported);
    const differences = [...documentOf(exported.contents), ...report.differences];
    const snapshots = [...report.digests].map(([day, digest]) => ({ day, digest }));
    const equal = differences.length === 0;
    const counted = `${report.entries} entries, ${snapshots.length} snapshots`;
    const text = equal ? `${counted}: every digest is the same` : `${counted}: ${differences.join('\n  ')}`;
    call.print({ equal, entries: report.entries, snapshots, differences }, text);
    return equal ? 0 : 1;
  },
});

function replayOf({ contents, lines }: Exported): Promise<ReplayReport> {
  const { logs, snapshots } = contents;
  return replay({ logs, snapshots, lines });
}

function documentOf({ scoring_policy }: Contents): readonly string[] {
  if (scoring_policy.digest === scoringPolicy.digest) return [];
  return [`the scoring document is ${scoring_policy.digest}, this program computes by ${scoringPolicy.digest}`];
}
