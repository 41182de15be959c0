import { useEffect, useState } from 'preact/hooks';
import { get, withQuery } from '../frame/api.ts';
import { go, hrefOf } from '../frame/router.ts';
import type { Screen } from '../frame/screen.ts';
import { sees, useSession } from '../frame/session.ts';
import type { SearchResult, Session, Swap } from '../frame/wire.ts';

/** A place or an action that is found by a text. */
export interface Finding {
  readonly key: string;
  readonly title: string;
  /** What it is, and its id. */
  readonly detail: string;
  readonly open: () => void;
}

const waitMs = 80;
const idForm = /^([a-z]{2,8})_[0-9A-HJKMNP-TV-Z]{26}$/;

/** What was found for a text. */
export interface Findings {
  readonly all: readonly Finding[];
  /** The server has answered, so nothing will be added. */
  readonly settled: boolean;
}

/** Finds screens, ids and things by name while the reader types; without a text, all screens. */
export function useFindings(text: string, screens: readonly Screen[]): Findings {
  const session = useSession();
  const wanted = text.trim();
  const { results, settled } = useResults(wanted);
  const seen = screens.filter((screen) => sees(session, screen));
  const byId = idForm.test(wanted) ? idFinding(wanted, seen) : [];
  const byName = results.flatMap((result) => thingFinding(result, seen));
  const runs = /^[\w.*@-]+$/.test(wanted) && !idForm.test(wanted) ? runsOf(wanted, session) : [];
  const all = [...byId, ...screenFindings(wanted, seen), ...byName, ...runs];
  return { all: all.filter(({ key }, at) => all.findIndex((one) => one.key === key) === at), settled };
}

// What was found last stays until the next answer is there.
function useResults(wanted: string) {
  const [found, setFound] = useState<{ readonly of: string; readonly results: readonly SearchResult[] }>(nothing);
  useEffect(() => {
    if (wanted === '') {
      setFound(nothing);
      return undefined;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      get<{ readonly results: readonly SearchResult[] }>(withQuery('/search', { q: wanted }), stop.signal).then(
        ({ results }) => setFound({ of: wanted, results }),
        // Suggestions are a help: without them, screens and ids are found.
        () => stop.signal.aborted || setFound({ of: wanted, results: [] }),
      );
    }, waitMs);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [wanted]);
  return { results: found.results, settled: found.of === wanted };
}

const nothing = { of: '', results: [] } as const;

const finding = (title: string, detail: string, href: string): Finding => ({
  ...{ key: href, title, detail },
  open: () => go(href),
});

function screenFindings(wanted: string, seen: readonly Screen[]): readonly Finding[] {
  const text = wanted.toLowerCase();
  return seen
    .filter(({ path, title }) => !path.includes('{') && title.toLowerCase().includes(text))
    .map(({ path, title }) => finding(title, 'Screen', hrefOf(path)));
}

const filled = (path: string, id: string): string => path.replace(/\{\w+\}/, encodeURIComponent(id));

// Where things without a screen of their own are seen.
const lists: Readonly<Record<string, (id: string) => string>> = {
  orb: (orb_id) => hrefOf('/runs', { orb_id }),
  orbiset: (orbiset_id) => hrefOf('/runs', { orbiset_id }),
  provider: (provider) => hrefOf('/runs', { provider }),
  principal: (principal) => hrefOf('/runs', { principal }),
};
const kinds: Readonly<Record<string, string>> = {
  ...{ orb: 'Orb', orbiset: 'Orbiset', provider: 'Provider', policy: 'Policy', source: 'Source', key: 'Key' },
  ...{ incident: 'Incident', principal: 'Caller' },
};

function thingFinding({ kind, id, name = id }: SearchResult, seen: readonly Screen[]): readonly Finding[] {
  const screen = seen.find(({ finds }) => finds === kind);
  const href = screen === undefined ? lists[kind]?.(id) : hrefOf(filled(screen.path, id));
  if (href === undefined) return [];
  return [finding(name, `${kinds[kind] ?? kind}${name === id ? '' : ` ${id}`}`, href)];
}

function idFinding(id: string, seen: readonly Screen[]): readonly Finding[] {
  const screen = seen.find(({ ids }) => ids !== undefined && id.startsWith(ids));
  if (screen !== undefined) return [finding(screen.title, id, hrefOf(filled(screen.path, id)))];
  const prefix = id.split('_')[0] ?? '';
  const has = (path: string): boolean => seen.some((one) => one.path === path);
  if (prefix === 'prn' && has('/runs')) return [finding('Runs of this caller', id, hrefOf('/runs', { principal: id }))];
  if (prefix === 'mnt' && has('/maintenance')) return [finding('Maintenance', id, hrefOf('/maintenance'))];
  if (prefix === 'swp' && has('/providers/{orb_id}'))
    return [{ key: id, title: 'Providers of the Orb of this swap', detail: id, open: () => void openSwap(id) }];
  return [];
}

async function openSwap(id: string): Promise<void> {
  const swap = await get<Swap>(`/swaps/${id}`).catch(() => undefined);
  go(hrefOf(swap === undefined ? '/providers' : `/providers/${encodeURIComponent(swap.orb_id)}`));
}

function runsOf(text: string, session: Session): readonly Finding[] {
  if (!sees(session, { scope: 'runs:read' })) return [];
  return [finding(`Runs of ${text}`, 'An Orb, its name or a namespace', hrefOf('/runs', { orb_id: text }))];
}
