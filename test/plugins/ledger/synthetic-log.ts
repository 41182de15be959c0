import { createHash } from 'node:crypto';
import { canonical } from '../../../kernel/index.ts';
import {
  payloadType,
  predicateType,
  type LogEntry,
  type ProvenEntry,
  type LogHead,
  type LogVector,
  type Position,
  type TransparencyLog,
} from '../../../plugins/receipts/contract.ts';
import { privateKeyOf, rawPublicKey, signWith } from '../../../plugins/receipts/format/ed25519.ts';
import { keySet, thumbprint, type KeySet } from '../../../plugins/receipts/format/jwk.ts';
import { noteOf, signatureLine, noteKey } from '../../../plugins/receipts/log/pure/note.ts';
import type { Generated } from './generator.ts';

/** A log in memory: real payloads and leaves of the real shape; the checkpoints alone are signed. */
export interface SyntheticLog extends TransparencyLog {
  /** Adds an entry of a shard, by default the last; answers its receipt id. */
  append(kind: string, predicate: object, kid?: string, shard?: number): string;
  /** Begins another shard, into which entries go by default. */
  rotate(): void;
  readonly entries: readonly ProvenEntry[];
  heads(): readonly LogHead[];
  entriesAfter(read: LogVector, limit: number, until?: LogVector): readonly LogEntry[];
  entryAt(position: Position): ProvenEntry | undefined;
  /** The public keys of the shards. */
  keys(): KeySet;
}

const installation = 'ins_01M6B1YQ000000000000000001';
const privateKey = privateKeyOf(Buffer.alloc(32, 7));
const publicKey = rawPublicKey(privateKey);

/** Makes an empty log. */
export function syntheticLog(): SyntheticLog {
  const shards: { readonly origin: string; readonly entries: ProvenEntry[]; readonly hashes: Buffer[] }[] = [];
  const listeners = new Set<() => void>();
  const all: ProvenEntry[] = [];
  const rotate = (): void => {
    shards.push({ origin: `${installation}.orb/receipts/${shards.length}`, entries: [], hashes: [] });
  };
  rotate();
  const headOf = ({ origin, entries, hashes }: (typeof shards)[number]): LogHead => {
    const root = rootOf(hashes).toString('base64');
    const text = `${origin}\n${entries.length}\n${root}\n`;
    const signed = signatureLine(noteKey(origin, publicKey), signWith(privateKey, Buffer.from(text)));
    return { origin, tree_size: entries.length, root_hash: root, checkpoint: noteOf(text, [signed]) };
  };
  const unread = (wanted: (entry: LogEntry) => boolean, limit: number, read: LogVector, until?: LogVector) => {
    const found: LogEntry[] = [];
    for (const entry of all) {
      if (found.length === limit) break;
      const { index, origin } = entry;
      if (index >= (read.get(origin) ?? 0) && index < (until === undefined ? Infinity : (until.get(origin) ?? 0)))
        if (wanted(entry)) found.push(entry);
    }
    return found;
  };
  return {
    entries: all,
    rotate,
    append(kind, predicate, kid = 'k', at = shards.length - 1) {
      const shard = shards[at];
      if (shard === undefined) throw new Error('no shard');
      const receipt_id = idOf(all.length);
      const entry = entryOf(kind, { receipt_id, issuer: { kid }, ...predicate }, shard.origin, shard.entries.length);
      shard.entries.push(entry);
      shard.hashes.push(leafHash(entry.leaf));
      all.push(entry);
      for (const listener of listeners) listener();
      return receipt_id;
    },
    heads: () => shards.map(headOf),
    keys: () =>
      keySet(
        shards.map(({ origin }) => ({
          ...{ kid: thumbprint(publicKey), role: 'log', status: 'active', created_at: 0 },
          ...{ public_key: publicKey, origin },
        })),
      ),
    entriesAfter: (read, limit, until) => unread(() => true, limit, read, until),
    othersAfter: (read, limit, until) => unread(({ kind }) => kind !== 'run', limit, read, until),
    entryAt: ({ index, origin }) => shards.find((shard) => shard.origin === origin)?.entries[index],
    prove: (entries) => entries.flatMap(({ receipt_id: id }) => all.find(({ receipt_id }) => receipt_id === id) ?? []),
    lostBefore: () => [],
    verifies: () => true,
    position: (receiptId) => all.find(({ receipt_id }) => receipt_id === receiptId),
    positions: (ids) =>
      new Map(all.filter(({ receipt_id }) => ids.includes(receipt_id)).map((entry) => [entry.receipt_id, entry])),
    onAppend(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

// Each a millisecond after the one before.
function idOf(number: number): string {
  return `rec_${String(number).padStart(10, '0')}${'0'.repeat(16)}`;
}

function entryOf(
  kind: string,
  predicate: { readonly receipt_id: string; readonly issuer: object },
  origin: string,
  index: number,
): ProvenEntry {
  const statement = { _type: 'https://in-toto.io/Statement/v1', predicateType: predicateType(kind), predicate };
  const text = canonical(statement);
  const payload = Buffer.from(text);
  const signature = { keyid: 'k', sig: 'AAAA' };
  const leaf = canonical({
    apiVersion: '0.0.2',
    kind: 'dsse',
    spec: {
      dsseV002: {
        payloadHash: { algorithm: 'SHA2_256', digest: createHash('sha256').update(payload).digest('base64') },
        signatures: [{ content: signature.sig, verifier: {} }],
      },
    },
  });
  const envelope = { payloadType, payload: payload.toString('base64'), signatures: [signature] } as const;
  return {
    ...{ origin, index, kind, receipt_id: predicate.receipt_id, statement: text },
    envelope: { ...envelope, signatures: [...envelope.signatures] },
    leaf: Buffer.from(leaf),
  };
}

function leafHash(leaf: Uint8Array): Buffer {
  return createHash('sha256').update(Uint8Array.of(0)).update(leaf).digest();
}

// RFC 6962 §2.1.
function rootOf(hashes: readonly Buffer[]): Buffer {
  const [first] = hashes;
  if (first === undefined) return createHash('sha256').digest();
  if (hashes.length === 1) return first;
  let split = 1;
  while (split * 2 < hashes.length) split *= 2;
  return createHash('sha256')
    .update(Uint8Array.of(1))
    .update(rootOf(hashes.slice(0, split)))
    .update(rootOf(hashes.slice(split)))
    .digest();
}

/** The day on which synthetic runs begin. */
export const startDay = Date.UTC(2026, 0, 1) / 86_400_000;

/** Time of a generated run, or of a day: 12:00:00 UTC and its place in the day in seconds. */
export function timeOf({ day, second = 0 }: { readonly day: number; readonly second?: number }): string {
  return new Date(((startDay + day) * 86_400 + 43_200 + second) * 1000).toISOString();
}

/** What may be said of a run in the log. */
export interface RunSaid {
  readonly orb_id?: string;
  readonly outcome?: string;
  readonly provider?: string;
  readonly score_fact?: object;
  readonly signed?: boolean;
  readonly facts?: object;
  readonly execution_ms?: number;
  readonly mode?: string;
}

/** Predicate of a run: accepted and fast unless said. */
export function runPredicate(run: Pick<Generated, 'day' | 'second' | 'caller'>, said: RunSaid = {}): object {
  const { outcome = 'accepted', provider = 'a', signed = true, execution_ms = 100, mode = 'live' } = said;
  const fact = {
    outcome_class: outcome === 'accepted' ? 'ok' : 'orb_fault',
    is_self: false,
    caller_ref: createHash('sha256').update(String(run.caller)).digest('hex'),
    ...(outcome === 'accepted' ? { latency_ok: execution_ms <= 2000 } : {}),
  };
  return {
    orb_id: said.orb_id ?? 'notify.email@1.0.0',
    mode,
    finished_at: timeOf(run),
    execution_ms,
    score_fact: { ...fact, ...said.score_fact },
    facts: {
      action: { class: 'notify', effect: 'irreversible' },
      orb: { manifest_signed: signed },
      policy: { decision: 'allow' },
      provider: { name: provider },
      attempts: [{ provider, outcome }],
      latency: { objective_ms: 2000 },
      outcome,
      ...said.facts,
    },
  };
}

/** Predicate of an incident's entry; `facts` are added to an open critical one of provider a. */
export function incidentPredicate(incident_id: string, day: number, facts: object = {}): object {
  return {
    incident_id,
    at: timeOf({ day }),
    facts: {
      change: 'opened',
      change_number: 1,
      state: 'open',
      severity: 'critical',
      scope: [{ kind: 'provider', id: 'a' }],
      starts_at: timeOf({ day }),
      deliveries: [
        { delivery_id: `${incident_id}1`, source_id: 's1', auth_strength: 'strong' },
        { delivery_id: `${incident_id}2`, source_id: 's2', auth_strength: 'strong' },
      ],
      ...facts,
    },
  };
}

/** Predicate of a standing's entry. */
export function standingPredicate(orb_id: string, day: number, facts: object): object {
  return { orb_id, at: timeOf({ day }), facts };
}

/** Content of a resolution of a run of that day, which replaces the class of an outcome by that of another. */
export function resolutionPredicate(receipt: string, day: number, outcome: string, supersedes: string): object {
  const { orb_id, mode, score_fact, finished_at } = runPredicate({ day, second: 0, caller: 1 }) as {
    [name: string]: unknown;
    score_fact: { caller_ref: string };
  };
  const { caller_ref } = score_fact;
  const outcome_class = outcome === 'sent' ? 'ok' : 'orb_fault';
  return {
    ...{ orb_id, mode },
    score_fact: { outcome_class, supersedes, is_self: false, caller_ref },
    facts: { outcome, resolves: { receipt_id: receipt, finished_at } },
  };
}
