import { readFile, stat } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { defineCommand, type CommandCall } from '../../../kernel/index.ts';
import { optionsOf } from '../../terminal/contract.ts';
import { encodeBase64 } from '../format/base64.ts';
import { verifySignature } from '../format/ed25519.ts';
import { verifyFolder } from '../export/verify-folder.ts';
import type { Checkpoint } from '../log/pure/note.ts';
import { keepSeen, newestSeen, readSeen } from '../verifier/trust-store/seen-file.ts';
import type { KnownTrees } from '../verifier/last-seen.ts';
import type { Report } from '../verifier/report.ts';
import type { Trust } from '../verifier/trust.ts';
import { claimedCheckpoints, verify, type VerifyOptions } from '../verifier/verify.ts';
import { askLog } from './online.ts';
import { openingOptions, readOpened } from './opened.ts';
import { readPinned, trustOptions } from '../verifier/trust-store/pinned-trust.ts';
import { showFolder, showReport } from './show-report.ts';

/** `orb receipts verify <file>`: verifies offline and exits with the report's exit code; needs no server. */
export const verifyCommand = defineCommand({
  path: 'receipts verify',
  summary: 'verify a receipt or a folder of receipts offline, with only the public keys',
  args: [
    {
      name: 'file',
      description:
        'a receipt, a DSSE envelope or a Sigstore bundle as JSON, or the folder of an export; - reads standard input',
    },
  ],
  options: [
    ...trustOptions,
    ...optionsOf({
      '--proof <file>': 'a .tlog-proof file; if the artefact also contains a proof, both must be valid',
      '--unlogged': 'accept a receipt without a proof of the log, with limits',
      '--url <address>': 'check the artefact against the current state of this log (https://orb.example/log)',
      ...openingOptions,
      '--allow-revoked': 'for a folder: receipts whose key was revoked are a limit, not a failure',
      '--max-age <span>': {
        description: 'a pinned witness must have seen the checkpoint within this time: 1d, or seconds',
        time: 's',
      },
    }),
  ],
  async run(call) {
    const trust = await readPinned(call);
    const path = call.args[0] ?? '-';
    if (trust !== undefined && (await isFolder(path))) return verifyAll(path, trust, call);
    if (call.options['allowRevoked'] === true) {
      call.note('--allow-revoked is only for folders: a single receipt whose key was revoked is never valid');
      return 3;
    }
    const artefact = await readArtefact(path, call);
    const options = await readOptions(call);
    const opened = await readOpened(call);
    if (trust === undefined || artefact === undefined || options === undefined || opened === undefined) return 3;
    const trees = await knownTrees(artefact, options.proof, trust, call);
    const known = [...trees.values()][0];
    const { place, ...report } = verify(artefact, trust, {
      ...options,
      ...(opened === 'nothing' ? {} : { opened }),
      ...(known === undefined ? {} : { lastSeen: (claimed) => trees.get(nameOf(claimed)) ?? known }),
      demands: [
        ...(options.fresh === undefined ? [] : (['freshness'] as const)),
        ...(opened === 'nothing' ? [] : (['disclosure_matches_commitment'] as const)),
        ...(call.options['url'] === undefined ? [] : (['consistency_with_last_seen'] as const)),
      ],
    });
    if (place !== undefined && place.revoked !== true && known !== undefined && isConsistent(report))
      await keepSeen(call, [...place.before, place.checkpoint, ...live(known)], known.seen.at(-1));
    call.print(report, showReport(report).on(call.screen));
    return report.exit;
  },
});

// A tree not proved to extend the remembered one may be a fork: it must not replace it.
function isConsistent({ checks }: Pick<Report, 'checks'>): boolean {
  return checks.every(({ name, result }) => name !== 'consistency_with_last_seen' || result === 'pass');
}

function live({ live: tree }: KnownTrees): readonly Checkpoint[] {
  return tree === undefined || tree.size === 0n ? [] : [tree];
}

async function verifyAll(folder: string, trust: Trust, call: CommandCall): Promise<number> {
  // These checks are not made for a folder, so refuse the options.
  const demanded = ['proof', 'url', 'maxAge', 'inputs', 'outputs', 'opening'].some(
    (name) => call.options[name] !== undefined,
  );
  if (demanded) {
    call.note('--proof, --url, --max-age and --opening are only for one receipt, not for a folder');
    return 3;
  }
  const allowRevoked = call.options['allowRevoked'] === true;
  const seen = await readSeen(call.stateDir);
  const known = new Map([...seen].map(([origin, { trees }]) => [origin, trees]));
  const options = { verifySignature, seen: known, allowRevoked, progress: call.bar?.part(folder) };
  const { consistent, ...found } = await verifyFolder(folder, trust, options);
  for (const tree of found.exit === 0 ? consistent : []) await keepSeen(call, [tree], newestSeen(seen, tree.origin));
  call.print(found, showFolder(found).on(call.screen));
  return found.exit;
}

/** Reads or requests the known trees for each tree that the artefact shows, first for that of the proof file. */
async function knownTrees(
  artefact: string,
  proof: string | undefined,
  trust: Trust,
  { note, options, stateDir }: CommandCall,
): Promise<ReadonlyMap<string, KnownTrees>> {
  const found = new Map<string, KnownTrees>();
  const remembered = await readSeen(stateDir);
  const { url } = options;
  for (const claimed of claimedCheckpoints(artefact, proof)) {
    const seen = remembered.get(claimed.origin)?.trees ?? [];
    const unanswered = (error: unknown): KnownTrees => {
      const why = `${String(url)}: ${error instanceof Error ? error.message : String(error)}`;
      note(why);
      return { seen, unanswered: why };
    };
    const known = typeof url === 'string' ? await askLog(url, claimed, seen, trust).catch(unanswered) : { seen };
    found.set(nameOf(claimed), known);
  }
  return found;
}

function nameOf({ origin, root, size }: Checkpoint): string {
  return `${size} ${encodeBase64(root)} ${origin}`;
}

type CheckOptions = Pick<VerifyOptions, 'proof' | 'unlogged' | 'fresh' | 'verifySignature'>;

async function readOptions({ note, options }: CommandCall): Promise<CheckOptions | undefined> {
  const { maxAge, proof: path } = options;
  const proof = typeof path === 'string' ? await readFile(path, 'utf8').catch(() => undefined) : '';
  if (proof === undefined) note(`cannot read the file ${String(path)}`);
  const seconds = maxAge === undefined ? 0 : Number(maxAge);
  const valid = Number.isSafeInteger(seconds) && seconds >= 0;
  if (!valid) note('--max-age must be a number of seconds');
  if (proof === undefined || !valid) return undefined;
  return {
    unlogged: options['unlogged'] === true,
    ...(path === undefined ? {} : { proof }),
    // The verifier's own clock: it is compared with a witness's time, never with the log's.
    ...(maxAge === undefined ? {} : { fresh: { now: Math.floor(Date.now() / 1000), maxAge: seconds } }),
  };
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

async function readArtefact(path: string, { note }: CommandCall): Promise<string | undefined> {
  if (path === '-') return text(process.stdin);
  const content = await readFile(path, 'utf8').catch(() => undefined);
  if (content === undefined) note(`cannot read the file ${path}`);
  return content;
}
