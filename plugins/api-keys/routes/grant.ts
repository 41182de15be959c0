import { holds, orbSelector, type KeyMode, type Principal, type Scopes } from '../../../kernel/index.ts';

/** What a key may do; the part of it that the rules look at. */
export interface Power {
  readonly scopes: readonly string[];
  readonly mode: KeyMode;
}

/** What a new key shall be able to do, and where. */
export interface Grant extends Power {
  readonly tenant: string;
}

/** Why something is refused: a sentence for the caller, and the scope that is missing; none is when no scope would help. */
export interface Refusal {
  readonly detail: string;
  readonly missing?: string;
}

/** Says whether a key reaches every tenant: it holds `*`. */
export function reachesAll(scopes: readonly string[]): boolean {
  return scopes.includes('*');
}

/** Says whether a scope exists: `*`, a known name, or a known narrowable name with `:` and a pattern of Orb ids. */
export function isScope(scope: string, known: Scopes): boolean {
  return scope === '*' || Object.hasOwn(known, scope) || narrowing(scope, known) !== undefined;
}

/** Applies the rules of granting; nothing refused: `undefined`. The scopes asked for must exist. */
export function refuseGrant(
  caller: Pick<Principal, 'scopes' | 'tenant' | 'mode'>,
  wanted: Grant,
  known: Scopes,
): Refusal | undefined {
  if (caller.mode === 'test' && wanted.mode === 'live')
    return { detail: 'a test key makes test keys only; send "mode": "test"' };
  if (reachesAll(caller.scopes)) return undefined;
  if (wanted.tenant !== caller.tenant)
    return { detail: `only a key with * makes keys of another tenant; yours is of ${caller.tenant}`, missing: '*' };
  for (const scope of wanted.scopes) {
    if (scope === '*') return { detail: 'only a key with * grants *', missing: '*' };
    if (isInstallation(scope, known))
      return { detail: `${scope} affects more than one tenant: only a key with * grants it`, missing: '*' };
    if (!covers(caller.scopes, scope, known))
      return { detail: `a key grants only scopes it holds; yours does not hold ${scope}`, missing: scope };
  }
  return undefined;
}

/** Refuses to act on a key that may do more than the caller's own; `act` says what is done, e.g. `revoke this key`. */
export function refuseStronger(caller: Power, key: Power, known: Scopes, act: string): Refusal | undefined {
  if (caller.mode === 'test' && key.mode === 'live')
    return { detail: `a test key cannot ${act}: that takes a live one` };
  const missing = key.scopes.find((scope) => !covers(caller.scopes, scope, known));
  if (missing === undefined) return undefined;
  return { detail: `to ${act}, a key must hold its scopes; yours does not hold ${missing}`, missing };
}

/** Says whether held scopes include one, narrowed or not: `orbs:execute:notify.*` includes `orbs:execute:notify.sms.*`. */
function covers(held: readonly string[], scope: string, known: Scopes): boolean {
  if (holds(held, scope)) return true;
  const narrowed = narrowing(scope, known);
  return narrowed !== undefined && holds(held, narrowed.name, narrowed.pattern);
}

function isInstallation(scope: string, known: Scopes): boolean {
  const name = narrowing(scope, known)?.name ?? scope;
  return Object.hasOwn(known, name) && known[name]?.installation === true;
}

// Which versions exist is not asked: an Orb may come later.
const pattern = new RegExp(orbSelector);

function narrowing(scope: string, known: Scopes): { readonly name: string; readonly pattern: string } | undefined {
  for (const [name, { narrowable }] of Object.entries(known)) {
    if (narrowable !== true || !scope.startsWith(`${name}:`)) continue;
    const rest = scope.slice(name.length + 1);
    if (pattern.test(rest)) return { name, pattern: rest };
  }
  return undefined;
}
