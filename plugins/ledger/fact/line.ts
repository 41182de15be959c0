import { given } from '../../../kernel/index.ts';
import type {
  KeyPredicate,
  LogEntry,
  Position,
  ResolutionPredicate,
  RunPredicate,
  ScoreFact,
  SwapPredicate,
} from '../../receipts/contract.ts';
import type { NamespaceFact } from './namespace.ts';
import type { StandingChange, StandingFact } from './standing.ts';
import type { Incident } from './incident.ts';

/** How a run or a resolution counts. */
export type OutcomeClass = ScoreFact['outcome_class'];

/** Members of every line: the entry's position, and the key that signed it. */
interface LineHead extends Position {
  readonly receipt_id: string;
  /** kid of the receipt key. */
  readonly signed_by: string;
}

/** The input: the statement of one entry and its position. */
export type Readable = Pick<LogEntry, 'origin' | 'index' | 'kind' | 'statement'>;

// A part of a statement before its members are checked: the schema checked them when they were written, and values used
// in arithmetic are checked here.
type Parsed<T> = T extends readonly (infer Item)[]
  ? readonly Parsed<Item>[]
  : T extends object
    ? { readonly [N in keyof T]?: Parsed<T[N]> }
    : T;

type Members = Readonly<Record<string, unknown>>;

// The statement of an incident, which another plugin declares.
interface IncidentPredicate extends Pick<Incident, 'incident_id'> {
  readonly facts: Pick<
    Incident,
    'change_number' | 'state' | 'severity' | 'scope' | 'starts_at' | 'ends_at' | 'deliveries'
  > & { readonly change: 'opened' | 'changed' | 'retracted'; readonly reason?: string; readonly principal?: string };
}

/**
 * What the ledger reads of each kind of entry, in the order used by `facts.ndjson`. The type of a line is that of its
 * reader; what is read unchanged has the type of the statement's schema.
 */
const readers = {
  run: runLine,
  resolution: resolutionLine,
  swap: unchanged<SwapPredicate>()(['orb_id'], ['from', 'to', 'state']),
  incident: incidentLine,
  standing: unchanged<StandingChange>()(['orb_id'], ['change', 'reason', 'manifest_digest', 'manifest_signed']),
  snapshot: unchanged<Exclude<StandingFact, StandingChange>>()(
    [],
    ['change', 'day', 'logs', 'profile', 'scoring_policy', 'digest'],
  ),
  namespace: unchanged<NamespaceFact>()(['namespace'], ['change', 'owner', 'manifest_key', 'reason']),
  key: unchanged<KeyPredicate>()(['kid'], ['role', 'change', 'from']),
  // Facts that another plugin declares: only that they exist. They change no score, and count towards the log's size.
  other: ({ at }: Members) => ({ at: time(at) }),
};

type Readers = typeof readers;
type LineOf<K extends keyof Readers, Kind = K> = LineHead & { readonly kind: Kind } & ReturnType<Readers[K]>;

/** What the ledger reads of a run; the later members are used to check the earlier ones. */
export type RunLine = LineOf<'run'>;
/** What the ledger reads of a resolution. */
export type ResolutionLine = LineOf<'resolution'>;
/** What the ledger reads of a swap. */
export type SwapLine = LineOf<'swap'>;
/** What the ledger reads of an incident: its complete state after a change. */
export type IncidentLine = LineOf<'incident'>;
/** What the ledger reads of a change of standing. */
export type StandingLine = LineOf<'standing'>;
/** What the ledger reads of the snapshot of a day. */
export type SnapshotLine = LineOf<'snapshot', 'standing'>;
/** What the ledger reads of a namespace. */
export type NamespaceLine = LineOf<'namespace'>;
/** What the ledger reads of a signing key. */
export type KeyLine = LineOf<'key'>;

/** What the ledger reads of one entry of the log: the line of `facts.ndjson` without its leaf hash. */
export type Line =
  | RunLine
  | ResolutionLine
  | SwapLine
  | IncidentLine
  | StandingLine
  | SnapshotLine
  | NamespaceLine
  | KeyLine
  | LineOf<'other'>;

/** Reads the ledger's line of an entry. Throws when the statement does not fit its kind. */
export function readLine(entry: Readable): Line {
  const { kind, index, origin } = entry;
  const statement = JSON.parse(entry.statement) as Members;
  if (statement['predicateType'] !== `urn:agent-orb:${kind}:v1`)
    throw new TypeError(`the entry is not of the kind ${kind}`);
  const predicate = members(statement['predicate']);
  const signed_by = text(members(predicate['issuer'])['kid']);
  const head: LineHead = { origin, index, receipt_id: text(predicate['receipt_id']), signed_by };
  const facts = members(predicate['facts']);
  const known = isRead(kind) ? kind : 'other';
  const read = readers[kind === 'standing' && facts['change'] === 'snapshot' ? 'snapshot' : known];
  return { kind: known, ...head, ...read(predicate, facts) } as Line;
}

/** Reads an entry of the log; undefined when its statement cannot be read. */
export function lineOf(entry: Readable): Line | undefined {
  try {
    return readLine(entry);
  } catch {
    return undefined;
  }
}

/** Says whether a line is the snapshot of a day. */
export function isSnapshot(line: Line): line is SnapshotLine {
  return line.kind === 'standing' && line.change === 'snapshot';
}

/** Says whether a line revokes a receipt key. */
export function revokesReceipts({ role, change }: KeyLine): boolean {
  return role === 'receipt' && change === 'revoked';
}

function isRead(kind: string): kind is Exclude<keyof Readers, 'snapshot' | 'other'> {
  return Object.hasOwn(readers, kind) && kind !== 'snapshot' && kind !== 'other';
}

type Chosen<T, Name> = { readonly [N in keyof T as N extends Name ? N : never]: T[N] };

// Makes a reader of members of a predicate, then of its facts. Those of the predicate identify the subject of the fact:
// each must be a text.
function unchanged<P extends { readonly facts: object }>() {
  return <const Name extends keyof P & string, const Fact extends keyof P['facts'] & string>(
    names: readonly Name[],
    ofFacts: readonly Fact[],
  ) =>
    (predicate: Members, facts: Members) =>
      ({
        at: time(predicate['at']),
        ...Object.fromEntries(names.map((name) => [name, text(predicate[name])])),
        ...picked(facts, ofFacts),
      }) as { readonly at: string } & Chosen<P, Name> & Chosen<P['facts'], Fact>;
}

function runLine(predicate: Parsed<RunPredicate>, facts: Parsed<RunPredicate['facts']>) {
  const attempts = list(facts.attempts);
  // Of the last attempt; without an attempt, the bound provider.
  const named = attempts.at(-1)?.provider ?? optional(facts.provider)?.name;
  const provider = named === undefined ? named : text(named);
  const reasons = list(members(facts.policy).reasons ?? []);
  const objective = optional(facts.latency)?.objective_ms;
  const objective_ms = objective === undefined ? objective : natural(objective);
  const { latency_ok, ...scored } = scoredOf<ScoreFact>(predicate);
  return {
    orb_id: text(predicate.orb_id),
    mode: text(predicate.mode),
    finished_at: time(predicate.finished_at),
    ...scored,
    ...given({ latency_ok }),
    manifest_signed: members(facts.orb).manifest_signed === true,
    ...given({ provider }),
    execution_ms: natural(predicate.execution_ms),
    outcome: text(facts.outcome),
    caller_deadline: members(facts.action).caller_deadline === true,
    /** Codes of the reasons of a denial. */
    codes: reasons.map(({ code }) => text(code)),
    /** A provider was bound. */
    bound: facts.provider !== undefined,
    ...given({ objective_ms }),
  } as const;
}

function resolutionLine(predicate: Parsed<ResolutionPredicate>, facts: Parsed<ResolutionPredicate['facts']>) {
  const { finished_at, receipt_id } = members(facts.resolves);
  return {
    orb_id: text(predicate.orb_id),
    mode: text(predicate.mode),
    /** End of the run. */
    finished_at: time(finished_at),
    outcome: text(facts.outcome),
    /** The run's latest receipt before this one. */
    resolves: text(receipt_id),
    ...scoredOf<ResolutionPredicate['score_fact']>(predicate),
  } as const;
}

function scoredOf<Scored>({ score_fact }: { readonly score_fact?: object }) {
  const names = ['outcome_class', 'supersedes', 'is_self', 'caller_ref', 'latency_ok'] as const;
  return picked(members(score_fact) as Members, names) as Chosen<Scored, (typeof names)[number]>;
}

const incidentRead = unchanged<IncidentPredicate>()(
  ['incident_id'],
  [
    ...(['change', 'change_number', 'state', 'severity', 'scope', 'starts_at', 'ends_at'] as const),
    ...(['reason', 'principal'] as const),
  ],
);

function incidentLine(predicate: Members, facts: Members) {
  time(facts['starts_at']);
  if (facts['ends_at'] !== undefined) time(facts['ends_at']);
  const deliveries = list(facts['deliveries'] as readonly Members[] | undefined).map((delivery) =>
    picked(delivery, ['delivery_id', 'source_id', 'auth_strength']),
  ) as readonly unknown[] as Incident['deliveries'];
  return { ...incidentRead(predicate, facts), deliveries };
}

function picked(from: Members, names: readonly string[]): Members {
  const found: Record<string, unknown> = {};
  for (const name of names) if (from[name] !== undefined) found[name] = from[name];
  return found;
}

function members<T extends object>(value: T | undefined): T;
function members(value: unknown): Members;
function members(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) throw new TypeError('an object is missing in the statement');
  return value;
}

function optional<T extends object>(value: T | undefined): T | undefined {
  return value === undefined ? undefined : members(value);
}

function list<T extends object>(value: readonly T[] | undefined): readonly T[] {
  if (!Array.isArray(value)) throw new TypeError('a list is missing in the statement');
  return (value as readonly T[]).map((item) => members(item));
}

function text<T extends string>(value: T | undefined): T;
function text(value: unknown): string;
function text(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('a text is missing in the statement');
  return value;
}

function natural(value: number | undefined): number {
  if (value === undefined || !Number.isSafeInteger(value)) throw new TypeError('a number is missing in the statement');
  return value;
}

function time(value: unknown): string {
  if (typeof value !== 'string' || Number.isNaN(Date.parse(value)))
    throw new TypeError('a time is missing in the statement');
  return value;
}
