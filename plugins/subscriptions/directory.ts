import { randomBytes } from 'node:crypto';
import {
  createSerial,
  given,
  operation,
  PlatformError,
  timestamp,
  type Operation,
  type PluginScope,
  type Principal,
} from '../../kernel/index.ts';
import { ProviderError, type OpenTargets } from '../../kernel/outbound.ts';
import type { Incidents } from '../ingestion/contract.ts';
import { secretText } from './message.ts';
import { problems } from './problems.ts';
import subscriptionStore, { type SubscriptionReads } from './store.ts';
import { subscriptionTopic, type StoredSubscription } from './subscription-rows.ts';
import type { Sealed, Standing, Subscription, Wish } from './subscription.ts';
import type { CallbackAsked, Orbiset } from '../runtime/contract.ts';

/** How many subscriptions an Orbiset may have. */
const mostOfOrbiset = 50;
const rotationMs = 86_400_000;
// Each adds a signature to every callback.
const mostReplaced = 4;

interface DirectoryOptions extends Pick<PluginScope<unknown, never>, 'clock' | 'ids' | 'store'> {
  readonly targets: OpenTargets;
  /** Opens an incident, and closes it; absent when no plugin keeps incidents. */
  readonly report: Incidents['report'] | undefined;
  /** The stored subscriptions. */
  readonly stored: readonly StoredSubscription[];
  readonly reads: Pick<SubscriptionReads, 'subscriptionsOf'>;
}

/** The subscriptions of the installation, in memory and in the store. */
export class Directory {
  readonly #options: DirectoryOptions;
  readonly #all = new Map<string, Subscription>();
  readonly #ofOrbiset = new Map<string, Set<string>>();
  // A change read from another node must not replace a change of this node that was committed after the read.
  readonly #serial = createSerial();

  constructor(options: DirectoryOptions) {
    this.#options = options;
    for (const row of options.stored) this.#put(this.#opened(row));
    options.store.peers.follow(subscriptionTopic, (ids) => this.#serial(() => this.#follow(ids)));
  }

  // The node that made the change reports it too.
  async #follow(ids: readonly string[]): Promise<void> {
    const { reads, store } = this.#options;
    const found = await reads.subscriptionsOf(ids);
    const kept = new Set(found.map(({ subscription_id }) => subscription_id));
    found.forEach((row) => this.#put(this.#opened(row)));
    const gone = ids.flatMap((id) => (kept.has(id) ? [] : (this.#all.get(id) ?? [])));
    gone.forEach((one) => this.#forget(one));
    if (gone.length === 0) return;
    // Until now, runs of this node had their callbacks enqueued for these.
    await store.write(gone.map(({ subscription_id }) => operation(subscriptionStore, 'drop', { subscription_id })));
  }

  all(): readonly Subscription[] {
    return [...this.#all.values()];
  }

  find(id: string): Subscription | undefined {
    return this.#all.get(id);
  }

  /** Lists the subscriptions of a tenant's Orbiset, oldest first. */
  of(orbisetId: string, tenant: string): readonly Subscription[] {
    const ids = this.#ofOrbiset.get(orbisetId);
    if (ids === undefined) return none;
    return [...ids].flatMap((id) => this.#all.get(id) ?? []).filter((one) => one.tenant === tenant);
  }

  /** Makes a subscription; its secret is shown once. Throws 409 `subscription_limit`, 422 `invalid_body`. */
  async create(url: string, wish: Wish, orbiset: Orbiset, principal: Principal): Promise<Subscription> {
    const { ids, clock, targets } = this.#options;
    if (wish.include?.includes('outputs') === true && (orbiset.retention_days?.outputs ?? 0) === 0)
      throw refused('#/include', 'the Orbiset does not keep outputs; set its `retention_days.outputs`');
    const { host } = await targets.check(url).catch((error: unknown) => {
      throw error instanceof ProviderError ? refused('#/url', error.message.replace(/^url /, '')) : error;
    });
    const secret = secretText(randomBytes(32));
    const row = {
      ...{ subscription_id: ids('sub'), tenant: orbiset.tenant, orbiset_id: orbiset.id, wish },
      ...{ sealed: this.#sealed({ url, secret }), state: 'active' as const, created_at: timestamp(clock.now()) },
      created_by: principal.id,
    };
    const create = operation(subscriptionStore, 'create', { ...row, most: mostOfOrbiset });
    return this.#everywhere(create, () => this.#put({ ...row, url, host, secret }));
  }

  /**
   * Gives a subscription a new secret. The previous secret also signs for a day, and so do secrets that were replaced
   * shortly before: a caller that repeats a rotation may never have received the secret of the first one.
   */
  async rotate({ subscription_id }: Subscription): Promise<Subscription> {
    const rotated = await this.#serial(() => this.#rotated(subscription_id));
    await this.#options.store.peers.everywhere();
    return rotated;
  }

  async #rotated(id: string): Promise<Subscription> {
    const { clock, store } = this.#options;
    for (;;) {
      const known = this.#known(id);
      const now = clock.now();
      const last = { secret: known.secret, until: now + rotationMs };
      const earlier = (known.replaced ?? []).filter(({ until }) => now < until);
      const fresh = { secret: secretText(randomBytes(32)), replaced: [last, ...earlier].slice(0, mostReplaced) };
      const sealed = this.#sealed({ ...known, ...fresh });
      const change = { subscription_id: id, sealed, was: known.sealed };
      const [count] = await store.write([operation(subscriptionStore, 'seal', change)]);
      if (count > 0) return this.#put({ ...this.#known(id), ...fresh, sealed });
      // Another node rotated the secret or deleted the subscription.
      await this.#follow([id]);
    }
  }

  /** Pauses a subscription or makes it active; closes the incident of one that was off. */
  async turn({ subscription_id }: Subscription, state: 'active' | 'paused'): Promise<Subscription> {
    return this.#everywhere(operation(subscriptionStore, 'turn', { subscription_id, state }), () =>
      this.#stand(subscription_id, { state }),
    );
  }

  /**
   * Switches a subscription off and opens an incident, unless its state was changed or it was deleted in the meantime.
   */
  async switchOff({ subscription_id, state }: Subscription, reason: string, failing_since?: number): Promise<void> {
    const why = { reason, ...given({ failing_since }) };
    const off = operation(subscriptionStore, 'switchOff', { subscription_id, state, ...why });
    await this.#commit(off, (count) => void (count > 0 && this.#stand(subscription_id, { state: 'off', ...why })));
  }

  // Commits a change, then applies it in memory.
  #commit<R, T>(change: Operation<R>, made: (result: R) => T): Promise<T> {
    return this.#serial(async () => {
      const [result] = await this.#options.store.write([change]);
      return made(result);
    });
  }

  // As `#commit` does; when it resolves, every node knows of it.
  async #everywhere<R, T>(change: Operation<R>, made: (result: R) => T): Promise<T> {
    const answer = await this.#commit(change, made);
    await this.#options.store.peers.everywhere();
    return answer;
  }

  /** Says why a subscription gets no callback about a run that names it. */
  faultOf({ subscription_id, orbiset_id, tenant }: CallbackAsked): string | undefined {
    const found = this.#all.get(subscription_id);
    if (found?.orbiset_id !== orbiset_id || found.tenant !== tenant) return 'the Orbiset has no such subscription';
    return found.state === 'off' ? 'the subscription is switched off' : undefined;
  }

  /** Notes since when the receiver of a subscription fails, ms since 1970; undefined: it does not. */
  async note({ subscription_id }: Subscription, failing_since: number | undefined): Promise<void> {
    const since = given({ failing_since });
    await this.#commit(operation(subscriptionStore, 'note', { subscription_id, ...since }), () => {
      const known = this.#all.get(subscription_id);
      if (known === undefined) return;
      const { failing_since: _, ...rest } = known;
      this.#put({ ...rest, ...since });
    });
  }

  #stand(subscription_id: string, standing: Standing): Subscription {
    const before = this.#known(subscription_id);
    const { reason: _, failing_since: __, ...rest } = before;
    const turned = this.#put({ ...rest, ...standing });
    if ((before.state === 'off') !== (turned.state === 'off')) this.#tell(turned);
    return turned;
  }

  async remove(subscription: Subscription): Promise<void> {
    const { subscription_id } = subscription;
    await this.#everywhere(operation(subscriptionStore, 'remove', { subscription_id }), () => {
      this.#forget(subscription);
      if (subscription.state === 'off') this.#tell({ ...subscription, state: 'paused' });
    });
  }

  #forget({ subscription_id, orbiset_id }: Subscription): void {
    this.#all.delete(subscription_id);
    this.#ofOrbiset.get(orbiset_id)?.delete(subscription_id);
  }

  /** Reports the subscriptions that are off: listeners may have missed an earlier report. */
  tellOff(): void {
    for (const subscription of this.#all.values()) if (subscription.state === 'off') this.#tell(subscription);
  }

  #tell({ subscription_id, orbiset_id, state, reason = '' }: Subscription): void {
    const title = `the subscription ${subscription_id} of the Orbiset ${orbiset_id} is switched off: ${reason}`;
    const name = `subscription:${subscription_id}`;
    this.#options.report?.({ name, state: state === 'off' ? 'firing' : 'resolved', title });
  }

  #known(id: string): Subscription {
    const known = this.#all.get(id);
    if (known === undefined) throw notFound(id);
    return known;
  }

  #put(subscription: Subscription): Subscription {
    const { subscription_id, orbiset_id } = subscription;
    this.#all.set(subscription_id, subscription);
    const ids = this.#ofOrbiset.get(orbiset_id) ?? new Set();
    this.#ofOrbiset.set(orbiset_id, ids.add(subscription_id));
    return subscription;
  }

  #sealed({ url, secret, replaced }: Sealed): Uint8Array {
    const text = JSON.stringify({ url, secret, ...given({ replaced }) });
    return this.#options.store.sealer.seal('callback', Buffer.from(text));
  }

  #opened(row: StoredSubscription): Subscription {
    const text = Buffer.from(this.#options.store.sealer.open('callback', row.sealed)).toString();
    // Only this class writes the rows.
    const { url, ...secrets } = JSON.parse(text) as Sealed;
    return { ...row, ...secrets, url, host: new URL(url).hostname };
  }
}

const none: readonly Subscription[] = Object.freeze([]);

/** Makes the problem of a subscription that is not there, or not the caller's. */
export function notFound(id: string): PlatformError {
  return new PlatformError(
    problems.subscription_not_found,
    `there is no subscription ${id}; GET /orbisets/{id}/subscriptions lists them`,
  );
}

function refused(pointer: string, detail: string): PlatformError {
  return new PlatformError('invalid_body', `${pointer}: ${detail}`, { errors: [{ pointer, detail }] });
}
