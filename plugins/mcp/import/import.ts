import { given, PlatformError, unfit, type Answered, type Principal } from '../../../kernel/index.ts';
import type { Offer } from '../../../kernel/adapter.ts';
import type { importedTool } from './imported-tool.ts';
import { isReadOnly } from './effect.ts';
import { decidedFor, draftOf, labelOf, tokensOf, type Drafted, type ImportChoices } from './manifest.ts';
import { changeOf, isNewer, nextVersion, type Change } from './version.ts';
import { mayBeGuarded, type Orb, type OrbManifest, type Runtime } from '../../runtime/contract.ts';

/** An order to import. */
export interface ImportOrder extends ImportChoices {
  /** Names of tools; all when absent. */
  readonly only: readonly string[] | undefined;
  /** Puts the Orbs into service; without it nothing changes. */
  readonly write: boolean;
  readonly principal: Principal;
}

/** What an import does with one tool. */
export type Imported = Answered<typeof importedTool>;

type Desk = Pick<Runtime, 'offersOf' | 'orbFaults' | 'putOrb' | 'catalog'>;

/**
 * Makes Orbs of the tools of a configured provider. A tool whose definition changed becomes a new version of its Orb;
 * the old one stays as it is. Throws 422 `invalid_provider`, 502 `probe_failed`.
 */
export async function importTools(desk: Desk, order: ImportOrder): Promise<readonly Imported[]> {
  const offers = chosen(await desk.offersOf(order.provider), order);
  const names = new Names(desk, order);
  const done: Imported[] = [];
  for (const offer of offers) done.push(await importOne(desk, order, offer, names));
  return done;
}

function chosen(offers: readonly Offer[], order: ImportOrder): readonly Offer[] {
  const { only, provider, guard, toolErrors } = order;
  const named = { only, 'guard/tools': guard?.tools, 'tool_errors/tools': toolErrors?.tools };
  for (const [member, names] of Object.entries(named)) {
    const absent = (names ?? []).filter((name) => !offers.some(({ tool }) => tool === name));
    if (absent.length === 0) continue;
    const detail = `${provider} offers no tool ${absent.join(', ')}; import without \`${member}\` shows all tools`;
    throw unfit('invalid_body', member, detail);
  }
  return offers.filter(({ tool }) => only?.includes(tool) !== false);
}

async function importOne(desk: Desk, order: ImportOrder, offer: Offer, names: Names): Promise<Imported> {
  const base = { tool: offer.tool, definition_digest: offer.digest, tokens: tokensOf(offer) };
  if (offer.refused !== undefined) return { ...base, change: 'refused', why: offer.refused };
  const before = names.newestOf(offer.tool);
  if (before?.manifest.upstream?.definition_digest === offer.digest && sameTrust(before, order)) {
    const { orb_id, manifest } = before;
    const now = withChoices(manifest, offer, order);
    if (now === undefined)
      return { ...base, change: 'unchanged', orb_id, ...shownOf(manifest, offer), why: 'the definition is the same' };
    const draft = { manifest: now, why: 'the definition is the same; what you chose differs' };
    return put(desk, order, { draft, offer, base, change: 'patch', orb_id: names.idOf(offer.tool, 'patch') });
  }
  const draft = draftOf(offer, order);
  const change = before === undefined ? 'new' : changeOf(before.manifest, draft.manifest);
  const orb_id = names.idOf(offer.tool, change === 'new' ? undefined : change);
  return put(desk, order, { draft, offer, base, change, orb_id });
}

// An operator may have corrected the effect: without a new definition that stays.
function sameTrust({ manifest }: Orb, { trustAnnotations }: ImportOrder): boolean {
  return (manifest.upstream?.annotations_trusted ?? false) === trustAnnotations;
}

// Applies the choices of this import to a manifest; undefined: they change no member. All other members stay.
function withChoices(manifest: OrbManifest, offer: Offer, order: ImportOrder): Drafted['manifest'] | undefined {
  const { upstream, orb_id: _, ...rest } = manifest;
  if (upstream === undefined) return undefined;
  const { repeat_guard, tool_errors } = decidedFor(offer, order);
  // Without a choice an earlier one stays.
  const guard =
    order.guard === undefined ? (manifest.repeat_guard ?? repeat_guard) : (repeat_guard ?? manifest.repeat_guard);
  const errors = tool_errors ?? upstream.tool_errors;
  if (
    (guard ?? true) === (manifest.repeat_guard ?? true) &&
    (errors ?? 'unknown') === (upstream.tool_errors ?? 'unknown')
  )
    return undefined;
  return { ...rest, ...given({ repeat_guard: guard }), upstream: { ...upstream, ...given({ tool_errors: errors }) } };
}

type Shown = Pick<Imported, 'effect' | 'action_class' | 'guard' | 'tool_errors'>;

function shownOf(manifest: Drafted['manifest'], { definition }: Offer): Shown {
  const { effect, action_class, upstream } = manifest;
  const guard = mayBeGuarded(manifest) ? 'on' : 'off';
  const harmless = effect === 'none' || effect === 'idempotent' || isReadOnly(definition.annotations);
  const tool_errors = upstream?.tool_errors ?? (harmless ? 'no_effect' : 'unknown');
  return { effect, action_class, guard, tool_errors };
}

interface Putting {
  readonly draft: Drafted;
  readonly offer: Offer;
  readonly base: Pick<Imported, 'tool' | 'definition_digest' | 'tokens'>;
  readonly change: 'new' | Change;
  readonly orb_id: string;
}

async function put(desk: Desk, order: ImportOrder, { draft, offer, base, change, orb_id }: Putting): Promise<Imported> {
  const manifest = { ...draft.manifest, orb_id };
  const faults = desk.orbFaults(structuredClone(manifest));
  const refused = (why: string): Imported => ({ ...base, change: 'refused', why });
  if (faults.length > 0) return refused(faults.slice(0, 4).join('; '));
  const imported: Imported = { ...base, change, orb_id, ...shownOf(manifest, offer), why: draft.why };
  if (!order.write) return imported;
  try {
    await desk.putOrb(manifest, order.principal);
    return imported;
  } catch (error) {
    if (error instanceof PlatformError) return refused(error.message);
    throw error;
  }
}

const nameOf = ({ namespace, name }: Orb): string => `${namespace}.${name}`;

/** The ids of imported Orbs: a tool keeps its own, and no two tools have the same. */
class Names {
  readonly #taken = new Map<string, string>();
  readonly #newest = new Map<string, Orb>();
  readonly #namespace: string;

  constructor({ catalog }: Desk, { provider, namespace }: ImportOrder) {
    this.#namespace = namespace;
    for (const orb of catalog.orbs.values()) {
      if (orb.namespace !== namespace) continue;
      const { upstream } = orb.manifest;
      const mine = upstream?.provider === provider ? upstream.tool : undefined;
      const name = nameOf(orb);
      this.#taken.set(name, mine ?? '');
      const known = mine === undefined ? undefined : this.#newest.get(mine);
      if (mine !== undefined && (known === undefined || isNewer(orb.version, known.version)))
        this.#newest.set(mine, orb);
    }
  }

  /** Finds the newest Orb that represents a tool. */
  newestOf(tool: string): Orb | undefined {
    return this.#newest.get(tool);
  }

  /** Answers the id of a tool's next version; a name that another tool has gets a number. */
  idOf(tool: string, change: Change | undefined): string {
    const before = this.#newest.get(tool);
    if (before !== undefined && change !== undefined) return `${nameOf(before)}@${nextVersion(before.version, change)}`;
    const wanted = `${this.#namespace}.${labelOf(tool)}`;
    let name = wanted;
    for (let number = 2; this.#taken.has(name); number++) name = `${wanted}-${number}`;
    this.#taken.set(name, tool);
    return `${name}@1.0.0`;
  }
}
