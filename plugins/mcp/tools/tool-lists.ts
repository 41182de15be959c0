import {
  createListeners,
  digest,
  holds,
  canonical,
  type Clock,
  type Listeners,
  type Log,
  type Principal,
  whenKnown,
  type Awaitable,
} from '../../../kernel/index.ts';
import type { Listings, ListingStatus } from '../../marketplace/contract.ts';
import { statusToolEntry } from './status-tool.ts';
import { statusTool, toolsOf, type Offered, type Tool, type Tools } from './tools.ts';
import { admitsOrb, reachesOrbiset, type Orb, type Orbiset, type Runtime } from '../../runtime/contract.ts';

/** How many tools a page has. */
export const pageSize = 100;

/** How long clients may keep a list, and how long one is kept here at most, milliseconds. */
export const listTtlMs = 30_000;

const mostKept = 256;

/** The tools of one key in one Orbiset. */
export interface ToolList {
  readonly orbiset: Orbiset;
  /** The Orbs by the names of their tools. */
  readonly orbs: ReadonlyMap<string, Orb>;
  /** The Orbs that the key may run and that have no tool, with the reasons. */
  readonly left: Tools['left'];
  /** The list has the tool that shows how a run ended. */
  readonly hasStatus: boolean;
  /** Pages in order: JSON of the tools, and the cursor of the next page. */
  readonly pages: readonly Page[];
  /** Changes when any tool changes. */
  readonly digest: string;
}

/** One page of a list. */
export interface Page {
  /** JSON of the array of tools. */
  readonly tools: string;
  /** The cursor by which a client asks for this page; the first has none. */
  readonly cursor: string | undefined;
}

/** The parts that lists are made from. */
export interface ToolListsOptions {
  readonly runtime: Pick<Runtime, 'catalog' | 'orbs' | 'inputsOf' | 'onCatalogChanged'>;
  /** Absent when no marketplace runs. */
  readonly listings: Listings | undefined;
  readonly tierOf: (orbId: string, principal: Principal) => string;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly log: Log;
}

interface Kept {
  readonly until: number;
  readonly list: ToolList;
}

/** Keeps the tools of each set of scopes until something changes. */
export class ToolLists {
  readonly #options: ToolListsOptions;
  readonly #stops: readonly (() => void)[];
  readonly #warned = new Set<string>();
  readonly #listeners: Listeners;
  #kept = new Map<string, Kept>();
  // Principals are the same objects while their key stays the same.
  #ofPrincipal = new WeakMap<Principal, Map<string, Kept>>();

  constructor(options: ToolListsOptions) {
    this.#options = options;
    this.#listeners = createListeners((err) => options.log.error({ err }, 'a change of tools could not be told'));
    const changed = (): void => this.#changed();
    const { listings, runtime } = options;
    this.#stops = [runtime.onCatalogChanged(changed), listings?.onChange(changed) ?? (() => undefined)];
  }

  /** Returns the tools of a key, at once when they are kept; undefined: it sees no such Orbiset. */
  of(orbisetId: string, principal: Principal): Awaitable<ToolList | undefined> {
    const now = this.#options.clock.monotonic();
    const known = this.#ofPrincipal.get(principal)?.get(orbisetId);
    if (known !== undefined && now < known.until) return known.list;
    const orbiset = this.#options.runtime.catalog.orbisets.get(orbisetId);
    if (orbiset === undefined || !reachesOrbiset(orbiset, principal)) return undefined;
    const key = JSON.stringify([orbisetId, principal.tenant, principal.mode, ...[...principal.scopes].sort()]);
    // Do not cache a list that was made during a change.
    const [kept, ofPrincipal] = [this.#kept, this.#ofPrincipal];
    const keep = (entry: Kept): ToolList => {
      const own: Map<string, Kept> = ofPrincipal.get(principal) ?? new Map<string, Kept>();
      ofPrincipal.set(principal, own.set(orbisetId, entry));
      return entry.list;
    };
    const entry = kept.get(key);
    if (entry !== undefined && now < entry.until) return keep(entry);
    return whenKnown(this.#options.listings?.statuses() ?? new Map<string, ListingStatus>(), (statuses) => {
      const made = { until: now + listTtlMs, list: this.#make(orbiset, principal, statuses) };
      if (kept.size >= mostKept) kept.clear();
      kept.set(key, made);
      return keep(made);
    });
  }

  /** Calls back when any list may have changed; the function that is returned ends that. */
  onChange(callback: () => void): () => void {
    return this.#listeners.add(callback);
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  #changed(): void {
    this.#kept = new Map();
    this.#ofPrincipal = new WeakMap();
    this.#listeners.tell();
  }

  #make(orbiset: Orbiset, principal: Principal, statuses: Statuses): ToolList {
    const { tools, orbs, left } = toolsOf({
      orbiset,
      offered: this.#offered(orbiset, principal, statuses),
      sandbox: principal.mode === 'test',
    });
    for (const { orb_id, reason } of left) this.#warn(orbiset.id, orb_id, reason);
    const hasStatus = holds(principal.scopes, 'runs:read');
    const all = hasStatus ? [...tools, statusToolEntry].sort((a, b) => (a.name < b.name ? -1 : 1)) : tools;
    return { orbiset, orbs, left, hasStatus, pages: pagesOf(all), digest: digest(canonical(all)) };
  }

  #offered(orbiset: Orbiset, principal: Principal, statuses: Statuses): readonly Offered[] {
    const { runtime, tierOf } = this.#options;
    const bound = new Set(runtime.orbs().map(({ orb_id }) => orb_id));
    return [...runtime.catalog.orbs.values()].flatMap((orb) => {
      const { orb_id } = orb;
      if (!bound.has(orb_id) || !admitsOrb(orbiset, orb_id) || !holds(principal.scopes, 'orbs:execute', orb_id))
        return [];
      const status = statuses.get(orb_id);
      if (status === 'yanked' || status === 'removed') return [];
      const meanings = runtime.inputsOf(orb.manifest.capability);
      return [{ orb, tier: tierOf(orb_id, principal), meanings, deprecated: status === 'deprecated' }];
    });
  }

  #warn(orbiset: string, orb_id: string, reason: string): void {
    const said = `${orbiset} ${orb_id} ${reason}`;
    if (this.#warned.has(said) || this.#warned.size > 1000) return;
    this.#warned.add(said);
    this.#options.log.warn({ orbiset, orb_id, reason }, `the Orb ${orb_id} is not offered as a tool`);
  }
}

type Statuses = ReadonlyMap<string, ListingStatus>;

function pagesOf(tools: readonly Tool[]): readonly Page[] {
  const pages: Page[] = [];
  for (let at = 0; at === 0 || at < tools.length; at += pageSize) {
    const last = tools[at - 1]?.name;
    const cursor = last === undefined ? undefined : `after:${last}`;
    pages.push({ tools: JSON.stringify(tools.slice(at, at + pageSize)), cursor });
  }
  return pages;
}

/** Says whether a name is that of the platform's own tool, for a list that has it. */
export function isStatusTool(list: ToolList, name: string): boolean {
  return list.hasStatus && name === statusTool;
}
