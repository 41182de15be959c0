import {
  PlatformError,
  rowWriter,
  type Awaitable,
  type WriteConnection,
  type WriteContext,
} from '../../kernel/index.ts';
import { problems } from './problems.ts';
import type { Sealed, Subscription } from './subscription.ts';

/** The topic that announces changed subscriptions to other nodes, by id. */
export const subscriptionTopic = 'subscriptions';

/** A subscription as it is stored. */
export type StoredSubscription = Omit<Subscription, keyof Sealed | 'host'>;

/** State of a subscription after a change. */
export type StoredState = Pick<StoredSubscription, 'subscription_id' | 'state' | 'reason' | 'failing_since'>;

/** What is sealed of a subscription, and what it was before. */
type Resealed = Pick<StoredSubscription, 'subscription_id' | 'sealed'> & { readonly was: Uint8Array };

/** The columns of subscriptions. */
export const subscriptionColumns = [
  ...(['subscription_id', 'tenant', 'orbiset_id', 'wish', 'sealed', 'state', 'reason', 'failing_since'] as const),
  ...(['created_at', 'created_by'] as const),
];

/** Makes the operations that add and remove subscriptions. */
export function lifeWrites(connection: WriteConnection) {
  const insert = rowWriter(connection, 'subscriptions_subscriptions', subscriptionColumns);
  const count = connection.prepare(
    'SELECT count(*) AS n FROM subscriptions_subscriptions WHERE tenant = ? AND orbiset_id = ?',
  );
  const remove = connection.prepare('DELETE FROM subscriptions_subscriptions WHERE subscription_id = ?');
  const drop = connection.prepare('DELETE FROM subscriptions_callbacks WHERE subscription_id = ?');
  return {
    /** Adds a subscription. Throws 409 `subscription_limit`. */
    async create({ most, ...row }: StoredSubscription & { readonly most: number }, write: WriteContext): Promise<void> {
      write.guard('limit');
      if (Number((await count.get(row.tenant, row.orbiset_id))?.['n']) >= most)
        throw new PlatformError(
          problems.subscription_limit,
          `an Orbiset can have at most ${most} subscriptions; delete one first`,
        );
      insert(row);
      write.tell(subscriptionTopic, row.subscription_id);
    },
    /** Removes a subscription with all its callbacks. */
    remove({ subscription_id }: { readonly subscription_id: string }, write: WriteContext): void {
      remove.queue(subscription_id);
      drop.queue(subscription_id);
      write.tell(subscriptionTopic, subscription_id);
    },
    /** Deletes callbacks that a node enqueued for a deleted subscription before it learned of the deletion. */
    drop: ({ subscription_id }: { readonly subscription_id: string }): void => drop.queue(subscription_id),
  };
}

/** Makes the operations that change subscriptions. */
export function stateWrites(connection: WriteConnection) {
  const seal = connection.prepare(
    'UPDATE subscriptions_subscriptions SET sealed = ? WHERE subscription_id = ? AND sealed = ?',
  );
  const turn = connection.prepare(
    'UPDATE subscriptions_subscriptions SET state = ?, reason = ?, failing_since = ? WHERE subscription_id = ?',
  );
  const off = connection.prepare(
    `UPDATE subscriptions_subscriptions SET state = 'off', reason = ?, failing_since = ?
     WHERE subscription_id = ? AND state = ?`,
  );
  const note = connection.prepare('UPDATE subscriptions_subscriptions SET failing_since = ? WHERE subscription_id = ?');
  return {
    /** Replaces the sealed values; answers 0 if they were changed since they were read. */
    seal({ subscription_id, sealed, was }: Resealed, write: WriteContext): Awaitable<number> {
      write.tell(subscriptionTopic, subscription_id);
      return seal.run(sealed, subscription_id, was);
    },
    turn({ subscription_id, state, reason, failing_since }: StoredState, write: WriteContext): void {
      turn.queue(state, reason ?? null, failing_since ?? null, subscription_id);
      write.tell(subscriptionTopic, subscription_id);
    },
    /** Switches a subscription off; answers 0 when it is not in the named state any more. */
    switchOff({ subscription_id, state, reason, failing_since }: StoredState, write: WriteContext): Awaitable<number> {
      write.tell(subscriptionTopic, subscription_id);
      return off.run(reason ?? null, failing_since ?? null, subscription_id, state);
    },
    /** Notes since when its receiver fails, if it does. */
    note(
      { subscription_id, failing_since }: Pick<StoredState, 'subscription_id' | 'failing_since'>,
      write: WriteContext,
    ): void {
      note.queue(failing_since ?? null, subscription_id);
      write.tell(subscriptionTopic, subscription_id);
    },
  };
}
