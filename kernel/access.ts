import { PlatformError } from './error.ts';
import type { Operation } from './store/contract.ts';

/** What a caller presented: the token of `Authorization: Bearer`, or of the cookie of a session. */
export interface Credential {
  readonly token: string;
  /** The token is of a session: it never is a key. */
  readonly cookie?: true;
  /** A long answer looks whether its caller is still known, which is no use of the session. */
  readonly watching?: true;
}

/** Kinds of keys: a `test` key is served by sandbox providers only. */
export type KeyMode = 'live' | 'test';

/** The caller. It outlives the keys that it presents. */
export interface Principal {
  readonly id: string;
  /** Id of the key presented (`key_<ulid>`), never the key. */
  readonly key_id: string;
  readonly tenant: string;
  readonly scopes: readonly string[];
  readonly mode: KeyMode;
}

/** One question to the policy, in AuthZEN's four words. */
export interface AccessRequest {
  readonly subject: { readonly type: 'principal' } & Principal;
  /** `execute`, `swap`, or the name of a plugin's own action. */
  readonly action: { readonly name: string };
  readonly resource: Readonly<Record<string, unknown>> & { readonly type: 'orb'; readonly id: string };
  readonly context: Readonly<Record<string, unknown>>;
}

/** Why an action was denied: `code` and `policy` are plain, `message` is for the caller only. */
export interface Reason {
  readonly code: string;
  readonly policy?: string;
  readonly message?: string;
}

/** The answer to an AccessRequest. Only `allow: true` allows. */
export interface Decision {
  readonly allow: boolean;
  /** `dec_<ulid>`; absent when the scopes alone decided. */
  readonly decision_id?: string;
  /** The decision by which a run was accepted that waited for its turn, and was decided again then. */
  readonly accepted_decision_id?: string;
  /** `sha256:<hex>` of the policies in force. */
  readonly revision?: string;
  /** Ids of the policies that allowed, or denied; empty: the key's scopes alone decided. */
  readonly policies: readonly string[];
  readonly reasons?: readonly Reason[];
  /** Present when no policy denied and one asks: who must approve the run first, sorted by `code`. */
  readonly asks?: readonly {
    readonly code: string;
    readonly message: string;
    /** The group whose members may approve, and how many of them must. */
    readonly approvers: string;
    readonly of: number;
    readonly expires_s: number;
    /** `provider`: a swap makes the approval void. */
    readonly bind: 'inputs' | 'provider';
    readonly policies: readonly string[];
  }[];
  /** How many denials of policies in the mode `warn` were not enforced. */
  readonly warns: number;
  /** How many denials of policies in the mode `shadow` were not enforced. */
  readonly shadow_denies: number;
  /** Makes the row of the decision in the log: it commits with the receipt, or with the row of a run that waits. */
  readonly record?: (committed: { readonly run_id?: string; readonly receipt_id?: string }) => Operation;
}

declare const allowed: unique symbol;

/** A decision that allows. Only `decide` creates one; functions that act on it require it as a parameter. */
export type Allowed = Decision & { readonly allow: true; readonly [allowed]: true };

/** A decision that denies. */
export type Denied = Decision & { readonly allow: false };

/** What a scope is for. `installation`: it reaches beyond one tenant, so only `*` may grant it. */
export interface Scope {
  readonly title: string;
  readonly installation?: boolean;
  /** May be narrowed by a pattern of Orb ids: `orbs:execute:notify.*`. */
  readonly narrowable?: boolean;
  /** What it opens takes the key itself, so a session of a browser may not give it to a new key. */
  readonly keyAgain?: true;
}

/** Scopes by name. */
export type Scopes = Readonly<Record<string, Scope>>;

/** Scopes the kernel's own routes need. Plugins add theirs in their definition. */
export const kernelScopes: Scopes = {
  'orbs:execute': {
    title: "Run Orbs, and read the caller's own runs and their receipts; may be narrowed: `orbs:execute:notify.*`",
    narrowable: true,
  },
  'metrics:read': { title: 'Read the metrics', installation: true },
};

/** Says whether held scopes cover a needed one: `*` covers all, `orbs:execute:notify.*` the Orbs of that namespace. */
export function holds(held: readonly string[], needed: string, target?: string): boolean {
  return held.some(
    (scope) =>
      scope === '*' ||
      scope === needed ||
      (target !== undefined && scope.startsWith(`${needed}:`) && matchesOrb(scope.slice(needed.length + 1), target)),
  );
}

/** Says whether held scopes cover a needed one, if only for some Orbs. */
export function holdsPart(held: readonly string[], needed: string): boolean {
  return held.some((scope) => scope === '*' || scope === needed || scope.startsWith(`${needed}:`));
}

/** Says whether a pattern (`ns.*` or an exact Orb id) names an Orb. */
export function matchesOrb(pattern: string, orbId: string): boolean {
  return pattern.endsWith('.*') ? orbId.startsWith(pattern.slice(0, -1)) : pattern === orbId;
}

// Says which key to ask for: of a scope that may be narrowed, each form that covers the Orb.
function wayToScope(needed: string, target: string | undefined): string {
  const ask = 'ask an operator for a key with';
  if (target === undefined) {
    const narrow = kernelScopes[needed]?.narrowable === true ? `, or narrowed, e.g. \`${needed}:notify.*\`` : '';
    return `; ${ask} it: \`orb keys create --scope ${needed}\`${narrow}`;
  }
  const namespace = target.slice(0, target.lastIndexOf('.', target.includes('@') ? target.indexOf('@') : undefined));
  const forms = `\`${needed}:${target}\` (this Orb), \`${needed}:${namespace}.*\` (its namespace) or \`${needed}\` (all Orbs)`;
  return ` for ${target}; ${ask} ${forms}`;
}

/** Refuses a caller whose key holds none of the scopes that a route names: 403 `insufficient_scope`. */
export function requireAnyScope(principal: Principal, needed: string | readonly string[], target?: string): void {
  const any = typeof needed === 'string' ? [needed] : needed;
  if (any.some((scope) => holds(principal.scopes, scope, target))) return;
  const which = any.length === 1 ? 'the scope' : 'one of the scopes';
  const detail = `the key needs ${which} ${any.join(', ')}${wayToScope(any[0] ?? '', target)}`;
  throw insufficientScope(detail, `, scope="${any.join(' ')}"`);
}

function insufficientScope(detail: string, needed = ''): PlatformError {
  const headers = { 'WWW-Authenticate': `Bearer error="insufficient_scope"${needed}` };
  return new PlatformError('insufficient_scope', detail, { headers });
}

/** Refuses a key of mode `test`, whatever its scopes, for what would change live runs or their dependencies: 403. */
export function requireLive({ mode }: Principal, what: string): void {
  if (mode === 'live') return;
  throw insufficientScope(`${what}; a test key cannot change it: use a live key`);
}

const silence: Denied = Object.freeze({
  allow: false,
  policies: [],
  reasons: [{ code: 'no_decision', message: 'no policy made a decision' }],
  warns: 0,
  shadow_denies: 0,
});

/** Reads the answer of the deciding plugin: none denies. */
export function decide(decision: MaybePromise<Decision | undefined>): MaybePromise<Allowed | Denied> {
  return decision instanceof Promise ? decision.then(branded) : branded(decision);
}

function branded(decision: Decision = silence): Allowed | Denied {
  // The brand is true here: this is the only place that reads the answer of the deciding plugin.
  return decision.allow === true && decision.asks === undefined ? (decision as Allowed) : { ...decision, allow: false };
}

/** A value, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>;
