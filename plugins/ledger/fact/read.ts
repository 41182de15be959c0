import type { LogEntry } from '../../receipts/contract.ts';
import { readMembers, type Line, type LineHead } from './line.ts';

type Members = Readonly<Record<string, unknown>>;

/** The input: the statement of one entry and its position. */
export type Readable = Pick<LogEntry, 'origin' | 'index' | 'kind' | 'statement'>;

/** Reads the ledger's line of an entry. Throws when the statement does not fit its kind. */
export function readLine(entry: Readable): Line {
  const statement = JSON.parse(entry.statement) as Members;
  if (statement['predicateType'] !== `urn:agent-orb:${entry.kind}:v1`)
    throw new TypeError(`the entry is not of the kind ${entry.kind}`);
  const predicate = members(statement['predicate']);
  const head: LineHead = {
    origin: entry.origin,
    index: entry.index,
    receipt_id: text(predicate['receipt_id']),
    signed_by: text(members(predicate['issuer'])['kid']),
  };
  const facts = members(predicate['facts']);
  // The schemas checked the members below when they were written; values used in arithmetic are checked here.
  if (!isRead(entry.kind)) return { kind: 'other', ...head, at: time(predicate['at']) };
  return { kind: entry.kind, ...head, ...readers[entry.kind](predicate, facts) } as unknown as Line;
}

type ReadKind = Exclude<Line['kind'], 'other'>;

// The ledger does not read facts that another plugin declares; their entries still count towards the size of the log.
function isRead(kind: string): kind is ReadKind {
  return Object.hasOwn(readers, kind);
}

type Reader = (predicate: Members, facts: Members) => object;

const readers: Readonly<Record<ReadKind, Reader>> = {
  run: runLine,
  resolution: resolutionLine,
  swap: asWritten('swap'),
  incident: incidentLine,
  standing: (predicate, facts) => asWritten(facts['change'] === 'snapshot' ? 'snapshot' : 'standing')(predicate, facts),
  namespace: asWritten('namespace'),
  key: asWritten('key'),
};

// The members of the predicate identify the subject of the fact: each must be a text.
function asWritten(kind: keyof typeof readMembers): Reader {
  const [names, ofFacts] = readMembers[kind];
  return (predicate, facts) => ({
    at: time(predicate['at']),
    ...Object.fromEntries(names.map((name) => [name, text(predicate[name])])),
    ...picked(facts, ofFacts),
  });
}

function runLine(predicate: Members, facts: Members): object {
  const attempts = list(facts['attempts']);
  const provider = attempts.at(-1)?.['provider'] ?? optional(facts['provider'])?.['name'];
  const reasons = list(members(facts['policy'])['reasons'] ?? []);
  const objective = optional(facts['latency'])?.['objective_ms'];
  const { latency_ok, ...scored } = scoredOf(predicate);
  return {
    orb_id: text(predicate['orb_id']),
    mode: text(predicate['mode']),
    finished_at: time(predicate['finished_at']),
    ...scored,
    ...(latency_ok === undefined ? {} : { latency_ok }),
    manifest_signed: members(facts['orb'])['manifest_signed'] === true,
    ...(provider === undefined ? {} : { provider: text(provider) }),
    execution_ms: natural(predicate['execution_ms']),
    outcome: text(facts['outcome']),
    caller_deadline: members(facts['action'])['caller_deadline'] === true,
    codes: reasons.map(({ code }) => text(code)),
    bound: facts['provider'] !== undefined,
    ...(objective === undefined ? {} : { objective_ms: natural(objective) }),
  };
}

function resolutionLine(predicate: Members, facts: Members): object {
  const resolves = members(facts['resolves']);
  return {
    orb_id: text(predicate['orb_id']),
    mode: text(predicate['mode']),
    finished_at: time(resolves['finished_at']),
    outcome: text(facts['outcome']),
    resolves: text(resolves['receipt_id']),
    ...scoredOf(predicate),
  };
}

function scoredOf(predicate: Members): Members {
  return picked(members(predicate['score_fact']), [
    'outcome_class',
    'supersedes',
    'is_self',
    'caller_ref',
    'latency_ok',
  ]);
}

function incidentLine(predicate: Members, facts: Members): object {
  time(facts['starts_at']);
  if (facts['ends_at'] !== undefined) time(facts['ends_at']);
  const deliveries = list(facts['deliveries']);
  return {
    ...asWritten('incident')(predicate, facts),
    deliveries: deliveries.map((delivery) => picked(delivery, ['delivery_id', 'source_id', 'auth_strength'])),
  };
}

function picked(from: Members, names: readonly string[]): Members {
  const found: Record<string, unknown> = {};
  for (const name of names) if (from[name] !== undefined) found[name] = from[name];
  return found;
}

function members(value: unknown): Members {
  if (typeof value !== 'object' || value === null) throw new TypeError('an object is missing in the statement');
  return value as Members;
}

function optional(value: unknown): Members | undefined {
  return value === undefined ? undefined : members(value);
}

function list(value: unknown): readonly Members[] {
  if (!Array.isArray(value)) throw new TypeError('a list is missing in the statement');
  return value.map(members);
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('a text is missing in the statement');
  return value;
}

function natural(value: unknown): number {
  if (!Number.isSafeInteger(value)) throw new TypeError('a number is missing in the statement');
  return value as number;
}

function time(value: unknown): string {
  if (typeof value !== 'string' || Number.isNaN(Date.parse(value)))
    throw new TypeError('a time is missing in the statement');
  return value;
}
