import { holds, similarTo, type Principal, type Scopes } from '../../../kernel/index.ts';
import { orbSelector } from '../../runtime/contract.ts';

/** The rights of a key that the rules check. */
type Power = Pick<Principal, 'scopes' | 'mode'>;

/** The rights and the tenant requested for a new key. */
export type Grant = Pick<Principal, 'scopes' | 'mode' | 'tenant'>;

/** A refusal: a sentence for the caller and the missing scope, which is absent when no scope would help. */
export interface Refusal {
  readonly detail: string;
  readonly missing?: string;
}

/** Says whether a key reaches every tenant: it holds `*`. */
export function reachesAll(scopes: readonly string[]): boolean {
  return scopes.includes('*');
}

/** Says whether a new key with a scope could do what takes the key itself. */
export function takesKey(scope: string, known: Scopes): boolean {
  return scope === '*' || (Object.hasOwn(known, scope) && known[scope]?.keyAgain === true);
}

/** Says whether a scope exists: `*`, a known name, or a known narrowable name with `:` and a pattern of Orb ids. */
export function isScope(scope: string, known: Scopes): boolean {
  return scope === '*' || Object.hasOwn(known, scope) || narrowing(scope, known) !== undefined;
}

/** Says which scope was most likely meant by a text that is none, and which there are. */
export function meantScope(text: string, known: Scopes): string {
  const narrowable = Object.keys(known).find((name) => known[name]?.narrowable === true && text.startsWith(`${name}:`));
  if (narrowable !== undefined)
    return `\`${narrowable}\` is narrowed by a namespace or an Orb: ${narrowable}:notify.*, ${narrowable}:notify.email@1.0.0`;
  const meant = similarTo(text, Object.keys(known)) ?? meantNarrowed(text, known);
  const all = `there are ${['*', ...Object.keys(known).sort()].join(', ')}; ${narrowedForms(known)}`;
  return meant === undefined ? all : `did you mean ${meant}? (${all})`;
}

// A scope whose name is misspelled before its pattern, or that cannot be narrowed.
function meantNarrowed(text: string, known: Scopes): string | undefined {
  const [group = '', act = '', rest = ''] = text.split(':', 3);
  const name = `${group}:${act}`;
  const meant = Object.hasOwn(known, name) ? name : similarTo(name, Object.keys(known));
  if (meant === undefined) return undefined;
  return known[meant]?.narrowable === true && pattern.test(rest) ? `${meant}:${rest}` : meant;
}

function narrowedForms(known: Scopes): string {
  const names = Object.keys(known).filter((name) => known[name]?.narrowable === true);
  const examples = names.map((name) => `${name}:notify.*, ${name}:notify.email@1.0.0`);
  return `a namespace or an Orb narrows ${names.join(', ')}: ${examples.join(', ')}`;
}

const mostNamed = 10;

function namesOf(scopes: readonly string[]): string {
  const rest = scopes.length - mostNamed;
  return scopes.slice(0, mostNamed).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

/** Applies the rules of granting; returns `undefined` when nothing is refused. The requested scopes must exist. */
export function refuseGrant(caller: Grant, wanted: Grant, known: Scopes): Refusal | undefined {
  if (caller.mode === 'test' && wanted.mode === 'live')
    return { detail: 'a test key can create only test keys; send "mode": "test"' };
  if (reachesAll(caller.scopes)) return undefined;
  if (wanted.tenant !== caller.tenant)
    return {
      detail: `only a key with * can create keys of another tenant; your tenant is ${caller.tenant}`,
      missing: '*',
    };
  for (const scope of wanted.scopes) {
    if (scope === '*') return { detail: 'only a key with * can grant *', missing: '*' };
    if (isInstallation(scope, known))
      return { detail: `${scope} affects more than one tenant: only a key with * can grant it`, missing: '*' };
    if (!covers(caller.scopes, scope, known))
      return {
        detail: `a key can grant only scopes that it has; yours does not have ${scope}, it has ${namesOf(caller.scopes)}`,
        missing: scope,
      };
  }
  return undefined;
}

/** Refuses to act on a key with more rights than the caller's; `act` names the action, e.g. `revoke this key`. */
export function refuseStronger(caller: Power, key: Power, known: Scopes, act: string): Refusal | undefined {
  if (caller.mode === 'test' && key.mode === 'live') return { detail: `a test key cannot ${act}: use a live key` };
  const missing = key.scopes.filter((scope) => !covers(caller.scopes, scope, known));
  if (missing.length === 0) return undefined;
  const detail = `to ${act}, a key must have the same scopes; yours does not have ${namesOf(missing)}`;
  return { detail, missing: missing.join(' ') };
}

/** Says whether held scopes cover one, also narrowed: `orbs:execute:notify.*` includes `orbs:execute:notify.sms.*`. */
function covers(held: readonly string[], scope: string, known: Scopes): boolean {
  if (holds(held, scope)) return true;
  const narrowed = narrowing(scope, known);
  return narrowed !== undefined && holds(held, narrowed.name, narrowed.pattern);
}

function isInstallation(scope: string, known: Scopes): boolean {
  const name = narrowing(scope, known)?.name ?? scope;
  return Object.hasOwn(known, name) && known[name]?.installation === true;
}

// Does not check that the Orb versions exist: an Orb may be published later.
const pattern = new RegExp(orbSelector);

function narrowing(scope: string, known: Scopes): { readonly name: string; readonly pattern: string } | undefined {
  for (const [name, { narrowable }] of Object.entries(known)) {
    if (narrowable !== true || !scope.startsWith(`${name}:`)) continue;
    const rest = scope.slice(name.length + 1);
    if (pattern.test(rest)) return { name, pattern: rest };
  }
  return undefined;
}
