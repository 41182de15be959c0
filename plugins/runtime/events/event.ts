import type { AttestedRow } from '../facts/attested-log.ts';
import type { RecordedRow } from '../tables/events.ts';
import { holds, holdsPart, type Principal } from '../../../kernel/index.ts';

/** An event before it is sent: names and ids alone. */
export interface PlatformEvent {
  /** Id of the receipt that it comes from, or `evt_<ulid>`; the same on every stream. */
  readonly event_id: string;
  readonly type: string;
  /** RFC 3339 UTC. */
  readonly at: string;
  /** Undefined: the installation's own. */
  readonly tenant: string | undefined;
  /** One of them shows it. */
  readonly scopes: readonly string[];
  readonly run_id: string | undefined;
  readonly orb_id: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Makes the event of a row of the table. */
export function recordedEvent({ event_id, type, scope, tenant, at, data: text }: RecordedRow): PlatformEvent {
  const data = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const { run_id, orb_id } = data as { readonly run_id?: string; readonly orb_id?: string };
  return { event_id, type, at, tenant: tenant === '' ? undefined : tenant, scopes: [scope], run_id, orb_id, data };
}

/** Makes the event of an entry of the log. */
export function attestedEvent(row: AttestedRow): PlatformEvent {
  const { receipt_id, kind, tenant, timestamp: at, predicate = {} } = row;
  const run_id = row.run_id ?? undefined;
  const orb_id = row.orb_id ?? undefined;
  const common = { event_id: receipt_id, at, tenant: tenant ?? undefined, run_id, orb_id };
  const run = { run_id, orbiset_id: row.orbiset_id, orb_id, status: row.status, receipt_id };
  if (kind === 'run') return { ...common, type: `run.${row.status}`, scopes: ['runs:read'], data: run };
  const facts = (predicate['facts'] ?? {}) as Readonly<Record<string, unknown>>;
  if (kind === 'resolution')
    return { ...common, type: 'run.resolved', scopes: ['runs:read'], data: { ...run, status: facts['status'] } };
  const data = { ...named(predicate, ownNames), ...named(facts, factNames), receipt_id };
  return { ...common, type: typeOf(kind, facts), scopes: row.scopes, data };
}

// Leave out the heads of predicates, which add nothing, and reasons and notes, which not every listener may read.
const ownNames = (name: string): boolean => /(?:_id|^kid|^namespace|^day)$/.test(name) && name !== 'receipt_id';
const factWords = new Set(['change', 'state', 'severity', 'from', 'to', 'generation', 'role']);
const factNames = (name: string): boolean => factWords.has(name);

function named(from: Readonly<Record<string, unknown>>, fits: (name: string) => boolean): object {
  const plain = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number';
  return Object.fromEntries(Object.entries(from).filter(([name, value]) => fits(name) && plain(value)));
}

const kindNames: Readonly<Record<string, string>> = { key: 'signing_key' };

function typeOf(kind: string, { state, change }: Readonly<Record<string, unknown>>): string {
  // A swap is attested when the new provider serves; then it still drains.
  if (kind === 'swap') return state === 'failed' ? 'swap.failed' : 'swap.completed';
  const verb = state === 'resolved' && change !== 'retracted' ? state : (change ?? state ?? 'recorded');
  return `${kindNames[kind] ?? kind}.${typeof verb === 'string' ? verb : 'recorded'}`;
}

/** Types whose events a key may see in part, for the choice whether it may listen at all. */
const scopesOfTypes = ['runs:read', 'providers:read', 'incidents:read', 'policies:read', 'keys:manage'];

/** Says whether a key may listen to any events. */
export function mayListen({ scopes }: Principal): boolean {
  return scopesOfTypes.some((scope) => holds(scopes, scope)) || holdsPart(scopes, 'orbs:execute');
}

/** Says whether a caller may see an event; `callerOf` finds who made a run. */
export function maySee(
  event: PlatformEvent,
  caller: Principal,
  callerOf: (runId: string) => string | undefined,
): boolean {
  const visible = byScopes(event, caller);
  return visible === 'to its caller' ? callerOf(event.run_id ?? '') === caller.id : visible;
}

/** Says whether a caller may see an event only if it made the run. */
export function hangsOnCaller(event: PlatformEvent, caller: Principal): boolean {
  return byScopes(event, caller) === 'to its caller';
}

function byScopes(event: PlatformEvent, { tenant, scopes }: Principal): boolean | 'to its caller' {
  if (scopes.includes('*')) return true;
  if (event.tenant !== undefined && event.tenant !== tenant) return false;
  if (event.scopes.some((scope) => holds(scopes, scope))) return true;
  if (event.run_id === undefined || event.orb_id === undefined || event.tenant === undefined) return false;
  return holds(scopes, 'orbs:execute', event.orb_id) && 'to its caller';
}

/** The patterns of `types`: `run.completed`, `swap.*`. */
export function typeFilter(types: string | undefined): (type: string) => boolean {
  if (types === undefined) return () => true;
  const patterns = types.split(',');
  return (type) =>
    patterns.some((one) => (one.endsWith('.*') ? type.startsWith(one.slice(0, -1)) : one === type || one === '*'));
}
