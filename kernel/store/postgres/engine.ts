import { setTimeout as delay } from 'node:timers/promises';
import { ConfigError, PlatformError } from '../../error.ts';
import type { NodeIdentity, StoreAddress } from '../contract.ts';
import type { NamedWriting } from '../engine.ts';
import type { UpgradeStep } from '../message.ts';
import type { Migrations } from '../sql/applied.ts';
import { PostgresCommitter } from './committer.ts';
import { checkSettings, checkTogether, openIdentity, type IdentityOptions } from './identity.ts';
import { migrateAll, whileOthersWait } from './migration.ts';
import { newestBatch, takeNode, type NodeHead } from './node.ts';
import { Outgoing } from './outgoing.ts';
import { openSession, type Purpose, type Session } from './session.ts';

/** What opening a store on PostgreSQL needs. */
export interface PostgresOptions extends IdentityOptions {
  readonly address: StoreAddress;
  readonly node: NodeIdentity;
  readonly modules: readonly Migrations[];
  /** Called before each migration of a store that has data. */
  tell(step: UpgradeStep): void;
  /** Called once when the database has been away for some seconds. */
  onAway(reason: unknown): void;
}

/**
 * Opens a store on PostgreSQL for its writer: makes or brings up its tables, and takes the row of this node, so that an
 * earlier process of its name writes nothing more. Throws ConfigError when the address, the master key or the tables do
 * not fit, and `storage_unavailable` when the database does not answer.
 */
export async function openPostgres(options: PostgresOptions) {
  const { address, modules, node, onAway, now, tell } = options;
  const making = await connect(address, 'upgrade');
  let identity, head: NodeHead;
  try {
    await checkSettings(making, address.shown);
    identity = await whileOthersWait(making, async () => {
      const opened = await openIdentity(making, options);
      await migrateAll(making, modules, { now, tell });
      return opened;
    });
    await checkTogether(making, address.shown);
    head = await take(making, node);
  } finally {
    await making.close();
  }
  const session = await connect(address, 'write');
  const outgoing = new Outgoing();
  let committer: PostgresCommitter | undefined;
  return {
    ...identity,
    connection: outgoing,
    async serve(named: readonly NamedWriting[]) {
      const open = (): Promise<Session> => openSession(address);
      const serving = new PostgresCommitter({ open, session, head, onAway, outgoing, modules: named });
      committer = serving;
      await serving.open();
      return {
        operations: serving.operations,
        commit: serving.commit.bind(serving),
        end: () => serving.end(),
      };
    },
    close: () => committer?.close() ?? session.close(),
  };
}

async function take(session: Session, { name, incarnation }: NodeIdentity): Promise<NodeHead> {
  const node = { node: name, incarnation };
  const [taken, newest] = await session.flush([takeNode(name, incarnation), newestBatch(node)]);
  return {
    ...node,
    epoch: Number(taken?.rows[0]?.['epoch']),
    batch: Number(newest?.rows[0]?.['batch'] ?? 0),
  };
}

const patienceMs = 30_000;
const retryMs = 250;
// The server starts or has no place yet, or nobody listens yet: both pass.
const passing = /^(57P03|53300|ECONNREFUSED|ECONNRESET|ENOENT|ETIMEDOUT|EPIPE|EAI_AGAIN)$/;

async function connect(address: StoreAddress, purpose: Purpose): Promise<Session> {
  for (const until = performance.now() + patienceMs; ;) {
    try {
      return await openSession(address, purpose);
    } catch (error) {
      const { code = '', message } = error as Error & { readonly code?: string };
      const passes = passing.test(code) || /timeout|terminated/.test(message);
      if (!passes) throw new ConfigError([`ORB_STORE_URL: ${address.shown} cannot be opened: ${message}`]);
      if (performance.now() > until)
        throw new PlatformError('storage_unavailable', `${address.shown} does not answer: ${message}`);
    }
    await delay(retryMs);
  }
}
