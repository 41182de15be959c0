import { type Binding, isOpenAs, patienceOf, retire, switchBinding } from '../provider/binding.ts';
import type { Claim } from '../journal/keys.ts';
import { ownerOf } from '../journal/owner.ts';
import type { SwapScope } from './scope.ts';
import runtimeStore from '../store.ts';
import type { SwapFollower } from './follow.ts';
import type { SwapNodes } from './nodes.ts';
import { boundTo, checkFree, checkMatch, failedOn, fitting, probeFailed, prove, reasonOf } from './refusals.ts';
import { recordFailed } from './record-failed.ts';
import { recordOf, swapFact } from './swap-fact.ts';
import type { SwapMetrics } from '../run/metrics.ts';
import { providerSwapped } from '../facts/hooks.ts';
import { shownSwap, type Swap } from '../tables/swap-record.ts';
import { loggedReason } from '../outcome/provider-failure.ts';
import type { Transport } from '../provider/transport.ts';
import type { Allowed } from '../../../kernel/runner.ts';
import { type Principal, timestamp, PlatformError, operation, given } from '../../../kernel/index.ts';
import type { Provider } from '../../../kernel/adapter.ts';
import { Generation, generationRow } from '../provider/generation.ts';

/** The requested change and its principal. */
export interface SwapRequest {
  readonly orb_id: string;
  /** Name of the provider to change to. */
  readonly provider: string;
  /** Absent: the platform itself. */
  readonly principal: Principal | undefined;
  /** The header If-Match: the generation that the caller believes is bound. */
  readonly ifMatch: string | undefined;
  /** The swap that this one undoes. */
  readonly rollsBack?: string;
  /** The caller's Idempotency-Key, in use by this request. */
  readonly claim?: Claim | undefined;
}

/** The dependencies of swaps. */
export interface SwapperOptions extends Omit<SwapScope, 'reads'> {
  readonly metrics: SwapMetrics;
  /** Binds what other nodes swap, and waits for them; absent: there are none. */
  readonly others?: { readonly follower: SwapFollower; readonly nodes: SwapNodes } | undefined;
}

/** The conditions of binding a new generation: its decision, its key, whether the binding is written, and who asked. */
interface Change {
  readonly decision?: Allowed | undefined;
  readonly claim?: Claim | undefined;
  readonly keepSource: boolean;
  readonly caller?: Principal | undefined;
}

/** Decides a swap before anything is opened. Throws 403 when it is denied. */
export type Ask = (binding: Binding, target: Provider) => Promise<Allowed | undefined>;

// What another node may still be proving when it learns of the swap.
const reloadMs = 5000;

/**
 * Changes the provider of an Orb: validate → open → probe → persist → switchBinding → drain → close. A failure before
 * the rebinding leaves the old provider untouched. Up to `switching` a second swap of the Orb is refused.
 */
export class Swapper {
  readonly #options: SwapperOptions;
  readonly #running = new Map<string, Swap>();
  readonly #drains = new Set<Promise<void>>();

  constructor(options: SwapperOptions) {
    this.#options = options;
  }

  /** Finds a swap that is not over, in its present state. */
  running(swapId: string): Swap | undefined {
    return this.#running.get(swapId);
  }

  /**
   * Resolves when the new provider is bound; the drain goes on. Answers the swap as it stands; under a key as it was
   * recorded, which is what a repetition is told. Throws 404, 409, 412, 422, 403 or 502 `probe_failed`.
   */
  async swap(request: SwapRequest, ask: Ask): Promise<Swap> {
    const { bindings, resolve } = this.#options;
    const binding = boundTo(request.orb_id, bindings);
    checkFree(binding);
    checkMatch(binding, request.ifMatch);
    const { capability } = binding.orb.manifest;
    const { claim, principal: caller } = request;
    const target = fitting(binding, resolve(request.provider, { capability, caller }));
    return this.#make(binding, request, target, async (swap) => {
      const decision = await ask(binding, target);
      claim?.begin(swap.swap_id);
      await claim?.take();
      return { decision, claim, keepSource: false, caller };
    });
  }

  /** Opens and binds a new generation of a provider whose configuration changed; writes no binding. */
  async renew(binding: Binding, target: Provider, principal: Principal | undefined): Promise<Swap> {
    checkFree(binding);
    const request = { orb_id: binding.orb.orb_id, provider: target.name, principal, ifMatch: undefined };
    return this.#make(binding, request, target, () => Promise.resolve({ keepSource: true }));
  }

  /** Waits for the drains in progress. */
  async settled(): Promise<void> {
    this.#options.others?.follower.close();
    this.#options.others?.nodes.close();
    await Promise.all(this.#drains);
  }

  async #make(
    binding: Binding,
    request: SwapRequest,
    target: Provider,
    decide: (swap: Swap) => Promise<Change>,
  ): Promise<Swap> {
    const { others, store } = this.#options;
    const swap = this.#begin(binding, request, target);
    try {
      const change = await decide(swap);
      const recorded = await this.#open(binding, swap, target, change);
      // Each active node has bound the provider then, or has given up for now.
      if (!change.keepSource && others !== undefined) await store.peers.everywhere();
      return change.claim === undefined ? swap : recorded;
    } finally {
      binding.swap = undefined;
    }
  }

  #begin(binding: Binding, { orb_id, provider, principal, rollsBack }: SwapRequest, target: Provider): Swap {
    const active = binding.order[0];
    const swap: Swap = {
      swap_id: this.#options.ids('swp'),
      orb_id,
      from: active?.provider.name,
      from_generation: active?.generation?.number,
      to: provider,
      generation: 0,
      state: 'validating',
      rolls_back: rollsBack,
      changed: isOpenAs(active, target) ? false : undefined,
      reason: undefined,
      principal: principal?.id,
      started_at: timestamp(this.#options.clock.now()),
      switched_at: undefined,
      ...ownerOf(this.#options.store),
      receipt_id: undefined,
    };
    binding.swap = swap;
    return swap;
  }

  /** Resolves to the recorded state of the swap; `swap` itself changes further. */
  async #open(binding: Binding, swap: Swap, target: Provider, change: Change): Promise<Swap> {
    const { store, clock, bindings, others } = this.#options;
    const before = binding.last_swap;
    this.#running.set(swap.swap_id, swap);
    binding.last_swap = swap;
    const transport = bindings.transport(target);
    let recorded: Swap;
    try {
      swap.state = 'opening';
      const row = generationRow(binding.orb.orb_id, target, clock);
      const bound = change.keepSource ? undefined : others?.follower.last(swap.orb_id);
      const begun = { swap: { ...swap }, opening: row, ...given({ bound }) };
      const [number] = await store.write([operation(runtimeStore, 'beginSwap', begun)]);
      swap.generation = number;
      await this.#prove(binding, swap, transport, change);
      swap.state = 'switching';
      recorded = await this.#persist(binding, swap, target, change);
    } catch (error) {
      await transport.close();
      if (error instanceof PlatformError && error.code === 'swap_in_progress') {
        this.#running.delete(swap.swap_id);
        binding.last_swap = before;
        if (change.claim !== undefined) await store.write(change.claim.freed());
        throw error;
      }
      throw await this.#fail(swap, target, change, error);
    }
    this.#switch(binding, swap, new Generation(swap.generation, transport, clock, swap.swap_id), change);
    return recorded;
  }

  // Here, and by then on the other nodes too, which began when the swap did.
  async #prove({ orb }: Binding, swap: Swap, transport: Transport, { keepSource }: Change): Promise<void> {
    await prove(orb, transport, () => void (swap.state = 'probing'));
    const patience = 2 * orb.manifest.timeout_ms + reloadMs;
    if (!keepSource) await this.#options.others?.nodes.opened(swap, patience);
  }

  async #persist(binding: Binding, swap: Swap, target: Provider, change: Change): Promise<Swap> {
    const { clock, hooks, others } = this.#options;
    const { decision, keepSource, claim } = change;
    swap.switched_at = timestamp(clock.now());
    const drains = others !== undefined || binding.order[0]?.generation !== undefined;
    const state = drains ? 'draining' : 'completed';
    const bound = { orb_id: swap.orb_id, provider: swap.to, swap_id: swap.swap_id, bound_at: swap.switched_at };
    const fact = swapFact(swap, target, { at: swap.switched_at, state, decision });
    const receipt = await hooks.attest({
      fact,
      operations: (receipt_id) => [
        operation(runtimeStore, 'putSwap', { ...swap, state, receipt_id }),
        ...(keepSource ? [] : [operation(runtimeStore, 'bindProvider', bound)]),
        ...(claim?.finished({ body: shownSwap({ ...swap, state, receipt_id }) }) ?? []),
        ...recordOf(decision, receipt_id),
        ...(swap.rolls_back === undefined
          ? []
          : [operation(runtimeStore, 'moveSwap', { swap_id: swap.rolls_back, state: 'rolled_back' })]),
      ],
    });
    swap.receipt_id = receipt.receipt_id;
    return { ...swap, state };
  }

  // One pointer assignment: earlier leases finish on the old generation.
  #switch(binding: Binding, swap: Swap, generation: Generation, { keepSource }: Change): void {
    const old = switchBinding(binding, this.#options.bindings.parts.of(generation.provider), generation);
    if (!keepSource) {
      binding.source = 'swap';
      this.#options.others?.follower.note(swap);
    }
    const undone = this.#running.get(swap.rolls_back ?? '');
    if (undone !== undefined) undone.state = 'rolled_back';
    const drained = this.#options.others === undefined && old.every(({ in_flight }) => in_flight === 0);
    swap.state = drained ? 'completed' : 'draining';
    const drain = this.#drain(binding, swap, old).catch((error: unknown) =>
      this.#options.log.error({ err: error, swap_id: swap.swap_id }, `the drain of the swap ${swap.swap_id} failed`),
    );
    this.#drains.add(drain);
    void drain.finally(() => this.#drains.delete(drain));
  }

  async #drain(binding: Binding, swap: Swap, old: readonly Generation[]): Promise<void> {
    const { drainMs, store, metrics, hooks, clock, others, retry } = this.#options;
    const waited = await Promise.all(
      old.map((generation) => retire(binding, generation, patienceOf(binding, drainMs))),
    );
    // This process is shutting down: the process that takes over its work waits for the others.
    if ((await others?.nodes.drained(swap)) === false) return;
    if (swap.state !== 'rolled_back') swap.state = 'completed';
    metrics.finished('completed', Math.max(0, ...waited));
    const move = () => store.write([operation(runtimeStore, 'moveSwap', { swap_id: swap.swap_id, state: swap.state })]);
    if (!(await retry.until(move, 'the end of a swap could not be recorded'))) return;
    this.#running.delete(swap.swap_id);
    const { swap_id, orb_id, from, to, generation } = swap;
    hooks.tell(providerSwapped, { swap_id, orb_id, to, generation, at: timestamp(clock.now()), ...given({ from }) });
  }

  async #fail(swap: Swap, target: Provider, { decision, claim, caller }: Change, cause: unknown): Promise<unknown> {
    const { log, metrics } = this.#options;
    swap.reason = reasonOf(swap, cause);
    const proving = swap.reason === `${swap.state}_failed` || failedOn(cause) !== undefined;
    swap.state = 'failed';
    swap.switched_at = undefined;
    this.#running.delete(swap.swap_id);
    metrics.finished('failed', 0);
    log.warn(
      { swap_id: swap.swap_id, orb_id: swap.orb_id, to: swap.to, reason: loggedReason(target, cause) },
      `the swap of ${swap.orb_id} to provider ${swap.to} failed; the old provider stays bound`,
    );
    const problem = proving ? probeFailed(swap, { target, cause, caller }) : undefined;
    await recordFailed(swap, target, { decision, claim, problem }, this.#options);
    return problem === undefined
      ? cause
      : new PlatformError(problem.code, problem.detail, problem.extensions, { cause });
  }
}
