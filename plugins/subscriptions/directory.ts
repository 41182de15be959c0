import { randomBytes } from 'node:crypto';
import {
  operation,
  PlatformError,
  ProviderError,
  timestamp,
  type CallbackAsked,
  type OpenTargets,
  type Orbiset,
  type PluginScope,
  type Principal,
} from '../../kernel/index.ts';
import type { Incidents } from '../ingestion/contract.ts';
import { secretText } from './message.ts';
import { problems } from './problems.ts';
import subscriptionStore, { type StoredSubscription } from './store.ts';
import type { Sealed, Standing, Subscription, Wish } from './subscription.ts';

/** How many subscriptions an Orbiset may have. */
const mostOfOrbiset = 50;
const rotationMs = 86_400_000;

/** What the directory is made from. */
export interface DirectoryOptions extends Pick<PluginScope<unknown, never>, 'clock' | 'ids' | 'store'> {
  readonly targets: OpenTargets;
  /** Opens an incident, and closes it; absent when no plugin keeps incidents. */
  readonly report: Incidents['report'] | undefined;
  /** Those that the store has. */
  readonly stored: readonly StoredSubscription[];
}

/** The subscriptions of the installation, in memory and in the store. */
export class Directory {
  readonly #options: DirectoryOptions;
  readonly #all = new Map<string, Subscription>();
  readonly #ofOrbiset = new Map<string, Set<string>>();

  constructor(options: DirectoryOptions) {
    this.#options = options;
    for (const row of options.stored) this.#put(this.#opened(row));
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
    const { store, ids, clock, targets } = this.#options;
    if (wish.include?.includes('outputs') === true && (orbiset.retention_days?.outputs ?? 0) === 0)
      throw refused('#/include', 'the Orbiset keeps no outputs; set its retention_days.outputs');
    const { host } = await targets.check(url).catch((error: unknown) => {
      throw error instanceof ProviderError ? refused('#/url', error.message.replace(/^url /, '')) : error;
    });
    if (this.of(orbiset.id, orbiset.tenant).length >= mostOfOrbiset)
      throw new PlatformError(problems.subscription_limit, `an Orbiset has ${mostOfOrbiset} at most; delete one`);
    const made: Subscription = {
      ...{ subscription_id: ids('sub'), tenant: orbiset.tenant, orbiset_id: orbiset.id, wish, url, host },
      ...{ secret: secretText(randomBytes(32)), state: 'active', created_at: timestamp(clock.now()) },
      created_by: principal.id,
    };
    const { subscription_id, tenant, orbiset_id, state, created_at, created_by } = made;
    const row = {
      subscription_id,
      tenant,
      orbiset_id,
      wish,
      sealed: this.#sealed(made),
      state,
      created_at,
      created_by,
    };
    await store.write([operation(subscriptionStore, 'create', row)]);
    this.#put(made);
    return made;
  }

  /** Gives a subscription a new secret; the one before signs too for a day. */
  async rotate(subscription: Subscription): Promise<Subscription> {
    const { store, clock } = this.#options;
    const previous = { secret: subscription.secret, until: clock.now() + rotationMs };
    const made = { ...subscription, secret: secretText(randomBytes(32)), previous };
    const { subscription_id } = made;
    await store.write([operation(subscriptionStore, 'seal', { subscription_id, sealed: this.#sealed(made) })]);
    return this.#change(subscription_id, { secret: made.secret, previous });
  }

  /** Pauses a subscription, or makes it active; tells of one that was off. */
  async turn({ subscription_id }: Subscription, state: 'active' | 'paused'): Promise<Subscription> {
    await this.#options.store.write([operation(subscriptionStore, 'turn', { subscription_id, state })]);
    return this.#stand(subscription_id, { state });
  }

  /** Switches a subscription off and tells of it, unless somebody has changed its state or deleted it meanwhile. */
  async switchOff({ subscription_id, state }: Subscription, reason: string, failing_since?: number): Promise<void> {
    const why = { reason, ...(failing_since === undefined ? {} : { failing_since }) };
    const off = operation(subscriptionStore, 'switchOff', { subscription_id, state, ...why });
    const [count] = await this.#options.store.write([off]);
    if (count > 0) this.#stand(subscription_id, { state: 'off', ...why });
  }

  /** Says why a subscription is not told of the end of a run that names it. */
  faultOf({ subscription_id, orbiset_id, tenant }: CallbackAsked): string | undefined {
    const found = this.#all.get(subscription_id);
    if (found?.orbiset_id !== orbiset_id || found.tenant !== tenant) return 'the Orbiset has no such subscription';
    return found.state === 'off' ? 'the subscription is switched off' : undefined;
  }

  /** Notes since when the receiver of a subscription fails, ms since 1970; undefined: it does not. */
  async note({ subscription_id }: Subscription, failing_since: number | undefined): Promise<void> {
    const since = failing_since === undefined ? {} : { failing_since };
    await this.#options.store.write([operation(subscriptionStore, 'note', { subscription_id, ...since })]);
    const known = this.#all.get(subscription_id);
    if (known === undefined) return;
    const { failing_since: _, ...rest } = known;
    this.#put({ ...rest, ...since });
  }

  #stand(subscription_id: string, standing: Standing): Subscription {
    const before = this.#all.get(subscription_id);
    if (before === undefined) throw notFound(subscription_id);
    const { reason: _, failing_since: __, ...rest } = before;
    const turned = { ...rest, ...standing };
    this.#put(turned);
    if ((before.state === 'off') !== (turned.state === 'off')) this.#tell(turned);
    return turned;
  }

  async remove(subscription: Subscription): Promise<void> {
    const { subscription_id, orbiset_id } = subscription;
    await this.#options.store.write([operation(subscriptionStore, 'remove', { subscription_id })]);
    this.#all.delete(subscription_id);
    this.#ofOrbiset.get(orbiset_id)?.delete(subscription_id);
    if (subscription.state === 'off') this.#tell({ ...subscription, state: 'paused' });
  }

  /** Tells of those that are off: who listens may have missed it. */
  tellOff(): void {
    for (const subscription of this.#all.values()) if (subscription.state === 'off') this.#tell(subscription);
  }

  #tell({ subscription_id, orbiset_id, state, reason = '' }: Subscription): void {
    const title = `the subscription ${subscription_id} of the Orbiset ${orbiset_id} is switched off: ${reason}`;
    const name = `subscription:${subscription_id}`;
    this.#options.report?.({ name, state: state === 'off' ? 'firing' : 'resolved', title });
  }

  #change(id: string, change: Partial<Subscription>): Subscription {
    const known = this.#all.get(id);
    if (known === undefined) throw notFound(id);
    const changed = { ...known, ...change };
    this.#put(changed);
    return changed;
  }

  #put(subscription: Subscription): void {
    const { subscription_id, orbiset_id } = subscription;
    this.#all.set(subscription_id, subscription);
    const ids = this.#ofOrbiset.get(orbiset_id) ?? new Set();
    this.#ofOrbiset.set(orbiset_id, ids.add(subscription_id));
  }

  #sealed({ url, secret, previous }: Sealed): Uint8Array {
    const text = JSON.stringify({ url, secret, ...(previous === undefined ? {} : { previous }) });
    return this.#options.store.sealer.seal('callback', Buffer.from(text));
  }

  #opened({ sealed, wish, state, ...row }: StoredSubscription): Subscription {
    const text = Buffer.from(this.#options.store.sealer.open('callback', sealed)).toString();
    // Only this class writes the rows.
    const { url, ...secrets } = JSON.parse(text) as Sealed;
    const known = state as Standing['state'];
    return { ...row, ...secrets, url, host: new URL(url).hostname, wish: wish as Wish, state: known };
  }
}

const none: readonly Subscription[] = Object.freeze([]);

/** Makes the problem of a subscription that is not there, or not the caller's. */
export function notFound(id: string): PlatformError {
  return new PlatformError(problems.subscription_not_found, `there is no subscription ${id}`);
}

function refused(pointer: string, detail: string): PlatformError {
  return new PlatformError('invalid_body', `${pointer}: ${detail}`, { errors: [{ pointer, detail }] });
}
