import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Session } from './wire.ts';

/** Holds the session for all screens. */
export const SessionContext = createContext<Session | undefined>(undefined);

/** Returns the session of the reader; only screens of a signed-in reader call it. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('there is no signed-in session');
  return session;
}

/** Says whether the server sent the page without a session. */
export const isNobody = (): boolean => document.getElementById('app')?.dataset['session'] === 'nobody';

/** Says whether scopes cover one of those that are needed, if only for some Orbs. */
export function holds(scopes: readonly string[], needed: string | readonly string[] | undefined): boolean {
  if (needed === undefined) return true;
  const all = typeof needed === 'string' ? [needed] : needed;
  return scopes.some((held) => held === '*' || all.some((one) => held === one || held.startsWith(`${one}:`)));
}

/** Says whether one of these scopes exists and the key of the session has it. */
export function sees(
  { scopes, known_scopes: known }: Session,
  { scope: needed, known: sign }: { readonly scope?: string | readonly string[]; readonly known?: string },
): boolean {
  if (sign !== undefined && !known.includes(sign)) return false;
  return holds(scopes, needed) && (needed === undefined || [needed].flat().some((one) => known.includes(one)));
}

/** Says whether a new key with these scopes takes the key itself. */
export function takesKey({ key_scopes: guarded }: Session, scopes: readonly string[]): boolean {
  return scopes.some((scope) => scope === '*' || guarded.includes(scope));
}

/** Says whether a plugin is loaded, by one of its scopes. */
export const useKnown = (scope: string): boolean => useSession().known_scopes.includes(scope);

/** Says whether the reader's key holds a scope. */
export const useScope = (needed: string): boolean => holds(useSession().scopes, needed);
