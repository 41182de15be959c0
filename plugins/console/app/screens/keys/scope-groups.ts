import type { ListedScope } from '../../frame/wire.ts';

/** Scopes that belong together, under what they allow. */
export interface ScopeGroup {
  readonly title: string;
  readonly scopes: readonly ListedScope[];
}

// What a scope is about, by its first word; a plugin's own scopes come last.
const areas: readonly (readonly [title: string, words: readonly string[]])[] = [
  ['Run Orbs', ['orbs', 'orbisets', 'runs', 'schedules', 'subscriptions']],
  ['Read evidence', ['receipts', 'reputation', 'stats', 'metrics']],
  ['Operate providers', ['providers', 'config']],
  ['Manage access', ['policies', 'keys', 'signing-keys']],
  ['Monitor and respond', ['incidents', 'sources', 'maintenance', 'status']],
  ['Publish', ['marketplace', 'namespaces']],
];
const others = 'Plugins';

/** Groups scopes by what they allow; `*` is in no group. */
export function groupsOf(scopes: readonly ListedScope[]): readonly ScopeGroup[] {
  const titleOf = ({ scope }: ListedScope): string =>
    areas.find(([, words]) => words.includes(scope.split(':')[0] ?? ''))?.[0] ?? others;
  const named = scopes.filter(({ scope }) => scope !== '*');
  return [...areas.map(([title]) => title), others]
    .map((title) => ({ title, scopes: named.filter((one) => titleOf(one) === title) }))
    .filter(({ scopes: found }) => found.length > 0);
}

/** Starting points of the picker. */
export const presets: readonly { readonly name: string; readonly picks: (scope: string) => boolean }[] = [
  { name: 'Application', picks: (scope) => ['orbs:execute', 'orbs:read', 'runs:cancel'].includes(scope) },
  { name: 'Read only', picks: (scope) => scope.endsWith(':read') },
  { name: 'Operator', picks: (scope) => scope !== '*' && !/^(?:keys|signing-keys|policies:activate)/.test(scope) },
];

/** Returns the scopes for the request: for a narrowed scope, one for each pattern of Orbs. */
export function askedScopes(picked: ReadonlySet<string>, narrowed: Readonly<Record<string, string>>): string[] {
  return [...picked].flatMap((scope) => {
    const patterns = (narrowed[scope] ?? '').split(/[\s,]+/).filter((one) => one !== '');
    return patterns.length === 0 ? [scope] : patterns.map((one) => `${scope}:${one}`);
  });
}
