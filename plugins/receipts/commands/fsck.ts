import { defineCommand, viewStore, type CommandCall } from '../../../kernel/index.ts';
import { readCheckpointFile } from '../checkpoint-file.ts';
import { readManifest } from '../export/folder.ts';
import { checkExport } from '../fsck/export-source.ts';
import { atUrl, filesSource, inFolder } from '../fsck/remote-source.ts';
import { checkRows } from '../fsck/rows.ts';
import { storeSource } from '../fsck/store-source.ts';
import { checkTree, type Flaw, type TreeReport } from '../fsck/tree.ts';
import { parseCheckpoint, type Checkpoint } from '../log/checkpoint.ts';
import { parseNote } from '../log/note.ts';
import { keepSeen, readSeen, type Seen } from '../seen-file.ts';
import receiptsStore from '../store.ts';
import type { Trust } from '../verifier/trust.ts';
import { readPinned, trustOptions } from './pinned.ts';

/** `orb log fsck [source]`: rebuilds the whole log from its entries and says where it is not what was signed. */
export const fsckCommand = defineCommand({
  path: 'log fsck',
  summary: 'Check the whole log against its signed checkpoint: a store, an export, or the address of a log',
  args: [
    {
      name: 'source',
      description:
        'an address such as https://orb.example/log, or the folder of an export (default: the store of the state dir)',
      optional: true,
    },
  ],
  options: trustOptions,
  async run(call) {
    const trust = await readPinned(call, { keysOptional: true });
    if (trust === undefined) return 3;
    const report = await check(call, trust, await readSeen(call.stateDir)).catch((error: unknown): TreeReport => {
      const what = error instanceof Error ? error.message : String(error);
      return { flaws: [{ exit: 3, where: call.args[0] ?? 'the store', what: `cannot be read: ${what}` }] };
    });
    const { checkpoint, flaws } = report;
    if (checkpoint !== undefined && flaws.length === 0) await keepSeen(call, checkpoint);
    const exit = ([2, 4, 1, 5, 3] as const).find((code) => flaws.some((flaw) => flaw.exit === code)) ?? 0;
    call.print({ exit, ...shown(checkpoint), flaws }, text(checkpoint, flaws));
    return exit;
  },
});

async function check(call: CommandCall, trust: Trust, known: Seen): Promise<TreeReport> {
  const keys = trust.policy?.logs ?? [];
  const seen = (origin: string): Checkpoint | undefined => known.get(origin);
  const [source] = call.args;
  if (source !== undefined) {
    if (/^https?:\/\//.test(source)) return checkTree(filesSource(atUrl(source)), keys, seen);
    const manifest = await readManifest(source);
    if (manifest !== undefined) return checkExport(source, manifest, trust, seen);
    return checkTree(filesSource(inFolder(source)), keys, seen);
  }
  const view = await viewStore(call.stateDir);
  if (view === undefined) return { flaws: [{ exit: 3, where: call.stateDir, what: 'holds no store' }] };
  try {
    // Before the view stands still: a copy made later would be ahead of it.
    const copy = copied(call.stateDir);
    view.hold();
    const reads = receiptsStore.read(view);
    const flaws = lostLog(copy, reads.logs());
    let last: TreeReport = { flaws: [{ exit: 3, where: call.stateDir, what: 'its store holds no log' }] };
    for (const log of reads.logs()) {
      const newest = copy?.origin === log.origin ? copy : seen(log.origin);
      last = await checkTree(storeSource(reads, log), keys, () => newest);
      flaws.push(...last.flaws, ...checkRows(reads, trust, log.log, Number(last.checkpoint?.size ?? 0n)));
    }
    return reads.logs().length === 0 ? last : { ...last, flaws };
  } finally {
    view.close();
  }
}

// A store put back to a time before its newest log began holds nothing that could be smaller than it was.
function lostLog(copy: Checkpoint | undefined, logs: readonly { readonly origin: string }[]): Flaw[] {
  if (copy === undefined || logs.some(({ origin }) => origin === copy.origin)) return [];
  return [{ exit: 5, where: 'checkpoint', what: `was of ${copy.origin}, a log that the store does not hold` }];
}

function copied(stateDir: string): Checkpoint | undefined {
  const note = parseNote(readCheckpointFile(stateDir) ?? '');
  return note === undefined ? undefined : parseCheckpoint(note.text);
}

function shown(checkpoint: Checkpoint | undefined): object {
  if (checkpoint === undefined) return {};
  const { origin, root, size } = checkpoint;
  return { origin, size: Number(size), root: Buffer.from(root).toString('base64') };
}

function text(checkpoint: Checkpoint | undefined, flaws: readonly Flaw[]): string {
  const lines = flaws.map(({ where, what }) => `${where}: ${what}`);
  const whole = checkpoint === undefined ? 'the log' : `${checkpoint.origin}, ${checkpoint.size} entries`;
  return [...lines, `${whole}: ${flaws.length === 0 ? 'OK' : `${flaws.length} flaw(s)`}`].join('\n');
}
