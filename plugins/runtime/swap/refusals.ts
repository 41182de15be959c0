import { reasonFor } from '../outcome/provider-failure.ts';
import type { Orb } from '../catalog/orb.ts';
import type { Transport } from '../provider/transport.ts';
import type { Binding } from '../provider/binding.ts';
import { mayBeTakenLater } from '../journal/store-retry.ts';
import type { Swap } from '../tables/swap-record.ts';
import { unknownOrb } from '../catalog/unknown-orb.ts';
import type { Bindings } from '../provider/bindings.ts';
import { holds, type Principal, PlatformError, expectTag, unfit } from '../../../kernel/index.ts';
import type { Provider } from '../../../kernel/adapter.ts';

/** Refuses a second swap of an Orb: 409 `swap_in_progress`. */
export function checkFree({ swap }: Binding): void {
  if (swap === undefined) return;
  const detail = `the swap ${swap.swap_id} is ${swap.state}; wait until it has switched or failed`;
  throw new PlatformError('swap_in_progress', detail, { swap_id: swap.swap_id, retry_after: 1 });
}

/** Refuses a swap when another generation is bound than the caller believes: 412. */
export function checkMatch({ order }: Binding, ifMatch: string | undefined): void {
  const bound = order[0]?.generation?.number ?? 0;
  const tag = `"${bound}"`;
  const detail = `generation ${bound} is bound; read the status and send If-Match: ${tag}`;
  expectTag(ifMatch === undefined ? {} : { match: ifMatch }, tag, detail);
}

/** Returns the provider if it offers the capability of the Orb. Throws 422 `invalid_provider`. */
export function fitting({ orb }: Binding, target: Provider): Provider {
  if (target.adapter.capability === orb.manifest.capability) return target;
  const detail = `provider ${target.name} offers the capability ${target.adapter.capability}; ${orb.orb_id} needs ${orb.manifest.capability}`;
  throw invalidProvider(detail);
}

/** Makes the problem of a provider that cannot serve the Orb. */
export function invalidProvider(detail: string): PlatformError {
  return unfit('invalid_provider', 'provider', detail);
}

/**
 * Opens a new provider and proves it, with the time limit of real calls and without an effect. Throws what the adapter
 * throws, and 422 `invalid_provider` when it offers another tool than the Orb represents.
 */
export async function prove(orb: Orb, transport: Transport, probing: () => void): Promise<void> {
  await transport.prove(orb.manifest.timeout_ms, probing);
  const unfit = transport.unfitFor(orb);
  if (unfit !== undefined) throw invalidProvider(unfit);
}

/** Another node could not open or probe the new provider. */
export class FailedOnNode extends Error {
  readonly node: string;
  readonly reason: string;

  constructor(node: string, reason: string) {
    super(`the node ${node} reports ${reason}`);
    this.node = node;
    this.reason = reason;
  }
}

/** Names the other node that could not open or probe the new provider; undefined: it was none. */
export function failedOn(cause: unknown): string | undefined {
  return cause instanceof FailedOnNode ? cause.node : undefined;
}

/** Says in one word why a swap failed. */
export function reasonOf({ state }: Swap, cause: unknown): string {
  if (cause instanceof FailedOnNode) return cause.reason;
  if (cause instanceof PlatformError && cause.code === 'invalid_provider') return 'other_definition';
  if (mayBeTakenLater(cause)) return 'not_recorded';
  return state === 'opening' || state === 'probing' ? `${state}_failed` : 'not_recorded';
}

/** What is known of a swap whose new provider could not be opened or probed. */
interface Unproved {
  readonly target: Provider;
  readonly cause: unknown;
  /** Who asked for it; undefined: the platform. */
  readonly caller: Principal | undefined;
}

/**
 * Makes the answer to a swap whose new provider could not be opened or probed: here, or on another node. A caller who may
 * see providers is told the reason; it is in the log by the id of the swap in any case.
 */
export function probeFailed({ swap_id, to, reason = '' }: Swap, { target, cause, caller }: Unproved) {
  const node = failedOn(cause);
  const [where, whose] = node === undefined ? ['', 'the log'] : [` on the node ${node}`, 'its log'];
  const told = node === undefined && caller !== undefined && holds(caller.scopes, 'providers:read');
  const why = told ? `: ${reasonFor(target, cause)}` : `; see ${whose} for the cause`;
  const detail = `provider ${to} failed${where} (${reason}); the old provider stays bound${why}`;
  return { code: 'probe_failed', detail, extensions: { swap_id } } as const;
}

/** Finds what is bound to an Orb. Throws 404 `orb_not_found`. */
export function boundTo(orbId: string, bindings: Bindings): Binding {
  const binding = bindings.find(orbId);
  if (binding !== undefined) return binding;
  const known = [...bindings.all()].map(({ orb }) => orb.orb_id);
  throw unknownOrb(orbId, known);
}
