import { useEffect, useState } from 'preact/hooks';
import { get, withQuery } from '../frame/api.ts';
import { html } from '../frame/html.ts';
import { holds, useSession } from '../frame/session.ts';
import { Id } from './table.ts';
import type { Key } from '../frame/wire.ts';

interface KeyPage {
  readonly keys: readonly Key[];
  readonly next_cursor?: string;
}

const mostPages = 10;
const none: ReadonlyMap<string, string> = new Map();
let last: { readonly reader: string; readonly names: Promise<ReadonlyMap<string, string>> } | undefined;

// The names are those of the keys; one read serves all screens of a session.
async function read(): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  let next: string | undefined;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const { keys, next_cursor } = await get<KeyPage>(withQuery('/keys', { limit: 100, cursor: next }));
    for (const { principal, principal_name } of keys) names.set(principal, principal_name);
    next = next_cursor;
    if (next === undefined) break;
  }
  return names;
}

/** Reads the names of principals by their ids; none for a key that may not list keys. */
export function usePrincipals(): ReadonlyMap<string, string> {
  const { key_id: reader, scopes } = useSession();
  const [names, setNames] = useState(none);
  const may = holds(scopes, 'keys:manage');
  useEffect(() => {
    if (!may) return undefined;
    if (last?.reader !== reader) last = { reader, names: read().catch(() => none) };
    let shown = true;
    void last.names.then((found) => shown && setNames(found));
    return () => void (shown = false);
  }, [reader, may]);
  return names;
}

/** Shows who it was: the name where it is known, then the id, as a link when `href` is given. */
export function PrincipalName({ of, href }: { readonly of: string; readonly href?: string }) {
  const name = usePrincipals().get(of);
  return html`${name !== undefined && html`<span class="title-cell">${name}</span> `}<${Id} id=${of} href=${href} />`;
}
