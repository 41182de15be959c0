import { createPublicKey } from 'node:crypto';
import { decodeBase64Url } from '../../format/base64.ts';
import { verifySignature } from '../../format/ed25519.ts';
import { thumbprint } from '../../format/jwk.ts';
import { payloadType } from '../../format/names.ts';
import { parseStrict } from '../../format/strict-json.ts';
import { entryOf } from '../../log/pure/entry.ts';
import { noteKey, openNote, parseVkey, type Checkpoint } from '../../log/pure/note.ts';
import { parsePolicy } from '../../log/pure/policy-file.ts';
import { hashLeaf, portableSha256 } from '../../log/pure/tree.ts';
import type { StaticLog } from '../../log/static/static-log.ts';
import { readArtefact } from '../artefact.ts';
import { checkLastSeen } from '../last-seen.ts';
import { fileClaim, type LogClaim } from '../log-artefact.ts';
import { checkInclusion, checkQuorum, checkSigned } from '../log-checks.ts';
import { conclude, fail, malformed, unchecked, type Check, type CheckName, type Report } from '../report.ts';
import { checkSignature } from '../signature.ts';
import type { Trust } from '../trust.ts';

/**
 * Reads the keys that sign statements and the checkpoints of their log: a C2SP vkey, the text of a PEM file of public
 * keys, or that of a trust file (C2SP tlog-policy), which may also require witnesses. Undefined: it has no Ed25519 key.
 */
export function readSigners(text: string, origin: string): Trust | undefined {
  const vkey = parseVkey(text.trim());
  const blocks = text.match(/-----BEGIN PUBLIC KEY-----[^-]*-----END PUBLIC KEY-----/g) ?? [];
  const policy = vkey === undefined && blocks.length === 0 ? parsePolicy(text) : undefined;
  const logs = [
    ...(vkey === undefined ? [] : [vkey]),
    ...blocks.flatMap((pem) => pemKey(pem) ?? []).map((key) => noteKey(origin, key)),
    ...(policy?.logs ?? []),
  ].filter(({ name }) => name === origin);
  if (logs.length === 0) return undefined;
  const keys = logs.map(({ publicKey }) => ({
    ...{ kid: thumbprint(publicKey), publicKey, role: 'release', revoked: false, consistent: true },
  }));
  return { keys, policy: policy ?? { logs, witnesses: new Map(), groups: new Map() } };
}

function pemKey(pem: string): Uint8Array | undefined {
  try {
    const { crv, x = '' } = createPublicKey(pem).export({ format: 'jwk' });
    return crv === 'Ed25519' ? decodeBase64Url(x) : undefined;
  } catch {
    return undefined;
  }
}

/** The texts of a signed statement. */
export interface StatementFiles {
  /** The DSSE envelope. */
  readonly envelope: string;
  /** Its `.tlog-proof` file. */
  readonly proof: string;
}

/** What a verifier knows of the log besides the proof of the statement. */
export interface KnownLog {
  /** The trees that it has seen before. */
  readonly seen: readonly Checkpoint[];
  /** The log as it is published now. */
  readonly log?: StaticLog;
}

/** The result for a signed statement. `payload`: present when a trusted key signed it; `tree`: the newest proved one. */
export type StatementReport = Omit<Report, 'place' | 'values'> & {
  readonly payload?: Uint8Array;
  readonly tree?: Checkpoint;
};

const required: readonly CheckName[] = ['envelope', 'key_trusted', 'inclusion', 'checkpoint_signature'];

/** Verifies a statement that one of these keys signed, its place in their log, and that the log only grew. */
export function verifyStatement(files: StatementFiles, trust: Trust, known: KnownLog): StatementReport {
  const artefact = readArtefact(parseStrict(files.envelope));
  if (!('envelope' in artefact) || artefact.envelope.payloadType !== payloadType)
    return malformed('the statement is not a signed in-toto statement');
  const { payload } = artefact.envelope;
  const { checks, key, signature } = checkSignature(artefact.envelope, trust, verifySignature, 'release');
  if (key === undefined || signature === undefined) return conclude(checks, undefined, { required });
  const claim = fileClaim(files.proof);
  const leaf = hashLeaf(entryOf(payload, signature, key.publicKey));
  const ofLog = claim === undefined ? unproved : checkClaim(claim, leaf, trust, known);
  const report = conclude([...checks, ...ofLog], undefined, { required });
  const proved = report.exit === 0 && report.limits.length === 0 ? newestOf(claim, known) : undefined;
  return { ...report, payload, ...(proved === undefined ? {} : { tree: proved }) };
}

const unproved: readonly Check[] = (['inclusion', 'checkpoint_signature'] as const).map((name) =>
  unchecked(name, 'the proof of the log is missing or malformed'),
);

function checkClaim(claim: LogClaim, leaf: Uint8Array, trust: Trust, { log, seen }: KnownLog): readonly Check[] {
  const { logs = [], witnesses } = trust.policy ?? {};
  const keys = [...logs, ...(witnesses?.values() ?? [])];
  const by = openNote(claim.note, keys, verifySignature);
  const live = log === undefined ? [] : [checkSigned(log, openNote(log.note, keys, verifySignature), trust)];
  const checks = [
    checkInclusion(claim, leaf, portableSha256),
    checkSigned(claim, by, trust),
    ...live.filter(({ result }) => result === 'fail'),
    ...checkQuorum(by, trust),
  ];
  const [newest] = seen
    .filter(({ origin }) => origin === claim.checkpoint.origin)
    .sort((one, other) => Number(other.size - one.size));
  if (log === undefined && newest !== undefined && claim.checkpoint.size < newest.size)
    return [...checks, fail('consistency_with_last_seen', olderHead(claim.checkpoint, newest))];
  const trees = log === undefined ? { seen } : { seen, live: log.checkpoint, proof: log.proof };
  return [...checks, ...checkLastSeen(claim, () => trees)];
}

function olderHead(shown: Checkpoint, seen: Checkpoint): string {
  const heads = `the proof shows a log of ${shown.size} entries, but one of ${seen.size} was seen before`;
  return `${heads}; only the files of the log prove that it is the same log`;
}

// With a log, the tree of the proof is one of its own.
function newestOf(claim: LogClaim | undefined, { log }: KnownLog): Checkpoint | undefined {
  return log?.checkpoint ?? claim?.checkpoint;
}
