import { useEffect, useState } from 'preact/hooks';

/** Path and query of the page, without `/console`. */
export interface Place {
  /** Begins with `/`; the home is `/`. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Counts the navigations of the reader; 0: as it was opened. */
  readonly turn: number;
}

const root = '/console';
const listeners = new Set<() => void>();
let turn = 0;

function placeNow(): Place {
  const path = location.pathname.slice(root.length).replace(/\/+$/, '');
  return { path: path === '' ? '/' : path, query: Object.fromEntries(new URLSearchParams(location.search)), turn };
}

/** Goes to an address of the console, such as `/console/runs?status=failed`. */
export function go(href: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (replace) history.replaceState(null, '', href);
  else history.pushState(null, '', href);
  changed();
}

function changed(): void {
  turn += 1;
  for (const listener of listeners) listener();
}

/** Writes the address of a place of the console. */
export function hrefOf(path: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  const pairs = Object.entries(query).filter((pair): pair is [string, string] => (pair[1] ?? '') !== '');
  const text = new URLSearchParams(pairs).toString();
  return `${root}${path === '/' ? '' : path}${text === '' ? '' : `?${text}`}`;
}

/** Follows the place of the page. */
export function usePlace(): Place {
  const [place, setPlace] = useState(placeNow);
  useEffect(() => {
    const listener = (): void => setPlace(placeNow());
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return place;
}

/** Makes every plain click on a link of the console a navigation without a load; call it once. */
export function followLinks(): void {
  addEventListener('popstate', changed);
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || link.origin !== location.origin || link.target !== '' || link.hasAttribute('download')) return;
    if (link.pathname !== root && !link.pathname.startsWith(`${root}/`)) return;
    if (link.hash !== '' && link.pathname === location.pathname) return;
    event.preventDefault();
    scrollTo(0, 0);
    go(link.pathname + link.search);
  });
}

/** Matches a path with a pattern such as `/runs/{run_id}`; answers the values, or undefined. */
export function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const values: Record<string, string> = {};
  for (const [at, part] of wanted.entries()) {
    const value = given[at] ?? '';
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined ? part !== value : value === '') return undefined;
    if (name !== undefined) values[name] = decoded(value);
  }
  return values;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
