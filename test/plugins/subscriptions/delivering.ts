import { generateKeyPairSync } from 'node:crypto';
import { PlatformError } from '../../../kernel/index.ts';
import { silentLog } from '../../../kernel/tools/log.ts';
import { createMetrics } from '../../../kernel/tools/metrics.ts';
import { Deliverer, type DelivererOptions } from '../../../plugins/subscriptions/deliverer.ts';
import type { NewCallback, Tried } from '../../../plugins/subscriptions/store.ts';
import type { Subscription } from '../../../plugins/subscriptions/subscription.ts';

/** Deliveries of one subscription whose store, receiver and clock the test holds. */
export interface Delivering {
  /** Starts a deliverer, in the place of the one before. */
  start(): Promise<void>;
  readonly stop: () => Promise<void>;
  /** Makes a callback that is due now. */
  make(id: string, body?: Uint8Array): void;
  /** Tries what is due now, and resolves when the results were judged. */
  tryAll(): Promise<void>;
  readonly rows: ReadonlyMap<string, NewCallback>;
  readonly subscription: () => Subscription;
  /** Callbacks that were sent, by id. */
  readonly sent: readonly string[];
  /** How often a body was opened that cannot be read: an empty one. */
  unread: number;
  /** HTTP status of the receiver. */
  status: number;
  now: number;
  /** Whether the store refuses what is written, as with a full disk. */
  isFull: boolean;
}

const { privateKey: key } = generateKeyPairSync('ed25519');
const id = 'sub_1';

/** Makes the deliveries. */
export function deliveries(): Delivering {
  const rows = new Map<string, NewCallback>();
  const sent: string[] = [];
  let subscription = {
    ...{ subscription_id: id, state: 'active', host: 'receiver.test', url: 'https://receiver.test/' },
    ...{ secret: 'whsec_AAAA', wish: { types: ['run.*'], format: 'standard' } },
  } as unknown as Subscription;
  let deliverer: Deliverer | undefined;
  const withoutTime = ({ failing_since: _, ...rest }: Subscription): Subscription => rest;
  const options = {
    store: {
      sealer: {
        open(_: string, bytes: Uint8Array) {
          if (bytes.length > 0) return bytes;
          // Begun without an end, it would keep the thread for ever.
          if ((bed.unread += 1) > 50) subscription = { ...subscription, state: 'off' };
          throw new Error('the body cannot be read');
        },
      },
      write: async ([{ args, name }]: readonly [{ readonly args: Tried; readonly name: string }]) => {
        await new Promise(setImmediate);
        if (bed.isFull) throw new PlatformError('storage_unavailable', 'the disk is full');
        if (name === 'mend') return [0];
        const { due_at, ...noted } = args;
        const { due_at: _, ...row } = rows.get(args.callback_id) as NewCallback;
        rows.set(args.callback_id, { ...row, ...noted, ...(due_at === undefined ? {} : { due_at }) });
        return [undefined];
      },
    },
    reads: {
      due: (_: string, now: number) => [...rows.values()].filter(({ due_at = Infinity }) => due_at <= now),
      nextDue: () => undefined,
      lastFailed: () => {
        const failed = [...rows.values()].filter(({ state }) => state !== 'delivered');
        const times = failed.flatMap(({ last_at = [] }) => last_at);
        return times.length === 0 ? undefined : Math.max(...times);
      },
    },
    directory: {
      all: () => [subscription],
      find: () => subscription,
      note: async (_: Subscription, failing_since: number | undefined) =>
        void (subscription = {
          ...withoutTime(subscription),
          ...(failing_since === undefined ? {} : { failing_since }),
        }),
      switchOff: async (_: Subscription, reason: string) =>
        void (subscription = { ...subscription, state: 'off', reason }),
    },
    outbound: {
      request: async ({ headers }: { readonly headers: Readonly<Record<string, string>> }) => {
        sent.push(String(headers['webhook-id']));
        return { statusCode: bed.status, headers: {}, body: (async function* () {})() };
      },
    },
    targets: { admit: () => ({ origin: 'https://receiver.test', path: '/' }) },
    ...{ clock: { now: () => bed.now }, log: silentLog },
    ...{ key, timeout_ms: 10_000, concurrency: 4, per_host: 2, random: () => 0.5 },
  } as unknown as DelivererOptions;
  const bed: Delivering = {
    ...{ rows, sent, unread: 0, status: 204, now: Date.UTC(2030, 0, 1), isFull: false },
    subscription: () => subscription,
    async start() {
      await deliverer?.stop();
      deliverer = new Deliverer({ ...options, metrics: createMetrics() });
      deliverer.start();
    },
    stop: async () => deliverer?.stop(),
    make(callback_id, body = Buffer.from('{}')) {
      const times = { made_at: bed.now, due_at: bed.now };
      rows.set(callback_id, {
        ...{ callback_id, subscription_id: id, run_id: 'run_1', type: 'run.failed', state: 'waiting', tries: 0 },
        ...times,
        body,
      });
    },
    async tryAll() {
      deliverer?.wake([id]);
      for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
    },
  };
  return bed;
}
