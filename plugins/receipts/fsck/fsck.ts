import { given, type CommandCall, type Screen } from '../../../kernel/index.ts';
import { viewStore, type StoreView } from '../../../kernel/maintenance.ts';
import { painted } from '../../terminal/contract.ts';
import { checkSealed } from './sealed-rows.ts';
import { verifySignature } from '../format/ed25519.ts';
import { isSignedBy, readCheckpoint, type Checkpoint } from '../log/pure/note.ts';
import { readCheckpointFile } from '../log/stored/checkpoint-file.ts';
import { readManifest } from '../export/folder.ts';
import { checkExport } from './export-source.ts';
import { checkFiles, unreadable } from './files.ts';
import type { Comparison, LogReport } from './logs.ts';
import { readKnownLogs, type KnownLogs } from '../verifier/trust-store/known-logs.ts';
import { sayProgress } from './progress.ts';
import { checkStore } from './store-source.ts';
import { flawAt } from './tree.ts';
import receiptsStore from '../store.ts';
import { worstOf } from '../verifier/report.ts';
import type { Trust } from '../verifier/trust.ts';
import { readPinned } from '../verifier/trust-store/pinned-trust.ts';

/** Checks the logs of a call of `orb log fsck`, prints the reports and returns the exit code. */
export async function fsck(call: CommandCall): Promise<number> {
  const trust = await readPinned(call, { keysOptional: true });
  if (trust === undefined) return 3;
  const known = await readKnownLogs(call, trust);
  const [source = 'the store'] = call.args;
  const reports = await check(call, trust, known).catch((error: unknown) => [unreadable(source, error)]);
  const whole = reports.filter(({ flaws }) => flaws.length === 0);
  await known.remember(whole.flatMap(({ checkpoint }) => checkpoint ?? []));
  const flaws = reports.flatMap((report) => report.flaws);
  const isRevoked = reports.some(({ revoked = 0 }) => revoked > 0) && call.options['allowRevoked'] !== true;
  const exit = worstOf(new Set([...flaws.map((flaw) => flaw.exit), ...(isRevoked ? ([4] as const) : [])]));
  const logs = reports.flatMap((report) => (report.origin === undefined ? [] : [shown(report)]));
  const unread = flaws.length > 0 && reports.every((report) => report.unread === true || report.flaws.length === 0);
  const sealed = reports.find((report) => report.sealed !== undefined)?.sealed;
  if (sealed?.unchecked !== undefined) call.note(`sealed values: not checked: ${sealed.unchecked}`);
  const { absent, unchecked } = sealed ?? {};
  const kept = unchecked === undefined ? undefined : given({ unchecked, absent });
  const rest = given({ unread: unread || undefined, sealed: kept });
  call.print({ exit, logs, flaws, ...rest }, reports.flatMap((report) => text(report, call.screen)).join('\n'));
  return exit;
}

async function check(call: CommandCall, trust: Trust, logs: KnownLogs): Promise<readonly LogReport[]> {
  const known: Comparison = {
    ...{ trust, expected: logs.expected, keys: trust.policy?.logs ?? [] },
    seen: (origin) => logs.seen.filter((tree) => tree.origin === origin),
    // Without a terminal, lines of text show it.
    progress: (origin) => call.bar?.part(origin) ?? sayProgress(call.note, origin),
  };
  const [source] = call.args;
  if (source === undefined) return checkOwn(call, known);
  const manifest = /^https?:\/\//.test(source) ? undefined : await readManifest(source);
  return manifest === undefined ? checkFiles(source, known) : checkExport({ folder: source, manifest }, known);
}

async function checkOwn(call: CommandCall, known: Comparison): Promise<readonly LogReport[]> {
  const place = call.store();
  const { stateDir } = place;
  const view = await viewStore(place);
  if (view === undefined) return [{ flaws: [flawAt(stateDir, 'holds no store', 3)] }];
  try {
    // Read before the snapshot of the store is opened: a copy made later would be ahead of it.
    const copied = readCheckpointFile(stateDir);
    const { checkpoint: copy, note } = readCheckpoint(copied) ?? {};
    view.hold();
    const reads = receiptsStore.read(view);
    if (reads.logs().length === 0)
      return [{ flaws: [flawAt(stateDir, 'its store contains no log', copy === undefined ? 3 : 5)] }];
    // The last checkpoint signed in this state dir counts as verified before.
    const seen = (origin: string): readonly Checkpoint[] =>
      copy?.origin === origin ? [...known.seen(origin), copy] : known.seen(origin);
    const remembered = [...known.expected.remembered, ...(copy === undefined ? [] : [copy.origin])];
    const expected = { ...known.expected, remembered };
    const logs = await checkStore(view, reads, { ...known, seen, expected });
    const reports = [...logs, sealedReport(call, view)];
    if (copied !== undefined && copy === undefined) return [...reports, copyFlaw(2, 'is not a checkpoint')];
    const keys = known.keys.filter(({ name }) => name === copy?.origin);
    const isSigned = note === undefined || keys.length === 0 || isSignedBy(note, keys, verifySignature);
    return isSigned ? reports : [...reports, copyFlaw(1, 'is not signed by the key of its log')];
  } finally {
    view.close();
  }
}

// A wrong master key is not a flaw of the store.
function sealedReport({ env, keyDir, modules = [], stateDir }: CommandCall, view: StoreView): LogReport {
  const sealed = checkSealed(view, modules, { stateDir: keyDir ?? stateDir, value: env['ORB_MASTER_KEY'] });
  return { sealed, flaws: sealed.faults.map((fault) => ({ exit: 1, ...fault })) };
}

// A start refuses such a file.
function copyFlaw(exit: 1 | 2, what: string): LogReport {
  return { flaws: [flawAt('the file `checkpoint` of the state dir', what, exit)] };
}

function shown({ checkpoint, flaws, origin, revoked }: LogReport): object {
  const found = { flaws, ...given({ revoked }) };
  if (checkpoint === undefined) return { origin, ...found };
  const { root, size } = checkpoint;
  return { origin, size: Number(size), root: Buffer.from(root).toString('base64'), ...found };
}

function text(report: LogReport, screen: Screen | undefined): readonly string[] {
  const { checkpoint, flaws, origin, revoked = 0, sealed, unread } = report;
  const lines = flaws.map(({ where, what }) => `${where}: ${what}`);
  if (sealed !== undefined) return lines;
  const whole = checkpoint === undefined ? (origin ?? 'the log') : `${checkpoint.origin}, ${checkpoint.size} entries`;
  const worthless = revoked === 0 ? '' : `; ${revoked} receipt(s) are not valid: their key was revoked`;
  const state = unread === true ? 'unread' : flaws.length === 0 ? 'ok' : 'fault';
  const words = { unread: 'not checked', ok: 'OK', fault: `${flaws.length} flaw(s)` };
  const verdict = painted(state, screen, words[state]);
  return [...lines, `${whole}: ${verdict}${worthless}`];
}
