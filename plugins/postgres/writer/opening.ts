import { setTimeout as delay } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import {
  ConfigError,
  createSerial,
  given,
  pack,
  PlatformError,
  unavailable,
  WentBack,
} from '../../../kernel/engine.ts';
import type { Batch, EngineOptions, NamedWriting, OwnerLost } from '../../../kernel/engine.ts';
import type { PostgresAddress } from '../connection/address.ts';
import { clockAgreed } from '../cluster/taking.ts';
import { PostgresCommitter } from './committer.ts';
import { DatabaseClock } from '../memory/database-clock.ts';
import { checkSettings, checkTogether, openIdentity } from '../tables/identity.ts';
import { isFatal, isUnavailable } from '../connection/fault.ts';
import { Refused, SessionLost } from '../connection/flush.ts';
import { Lease, type LeaseOptions } from '../cluster/lease.ts';
import { Membership, type MembershipOptions } from '../cluster/membership.ts';
import { migrateAll, whileOthersWait } from '../tables/migration.ts';
import { Outgoing } from './outgoing.ts';
import { grantRights, ownerOf } from '../tables/rights.ts';
import { openSession, type Purpose, type Session } from '../connection/session.ts';
import { takeDatabase, type Joined } from '../cluster/taking.ts';
import { leaseTimes } from '../cluster/watched.ts';
import { LeaseEnd } from '../memory/lease-end.ts';
import { ServerMark } from '../memory/server-mark.ts';
import type { Shares } from '../peers/attendance.ts';
import type { FromMembership, ToMembership } from '../peers/message.ts';

/** What opening a store on PostgreSQL needs; without what the thread that serves shares the process serves alone. */
export interface PostgresOptions extends Omit<EngineOptions, 'address' | 'shares'>, Partial<Shares> {
  readonly address: PostgresAddress;
}

/**
 * Opens a store on PostgreSQL for its writer: takes the database when no other process has it, so that an earlier one
 * writes nothing more, and makes or brings up its tables. Throws ConfigError when the address, the master key or the
 * tables do not fit, and `storage_unavailable` when the database does not answer.
 */
export async function openPostgres(options: PostgresOptions) {
  const { address, serverMark, say } = options;
  const mark = serverMark && new ServerMark(serverMark);
  const open = (): Promise<Session> => openSession(address);
  let committer: PostgresCommitter | undefined;
  const inTurn = createSerial();
  // A failure stays with the committer, whose next batch tries again.
  const onReopened = (): void => void inTurn(async () => committer?.reopen()).catch(() => undefined);
  const { head, identity, lease } = await prepare(options, { mark, onReopened });
  const session = await connect(options, 'write');
  if (address.migration !== undefined) await checkSettings(session, address.shown, '5s');
  const outgoing = new Outgoing();
  return {
    ...identity,
    connection: outgoing,
    async serve(named: readonly NamedWriting[]) {
      const serving = new PostgresCommitter({ open, session, head, mark, say, outgoing, modules: named });
      committer = serving;
      await inTurn(() => serving.open()).catch((error: unknown) => {
        throw lostFault(error, address.shown);
      });
      return {
        operations: serving.operations,
        commit: (batch: Batch) => inTurn(() => serving.commit(batch)),
        end: () => serving.end(),
        wentBack: () => serving.wentBack(),
      };
    },
    async close() {
      await (committer?.close() ?? session.close());
      await lease.leave();
    },
  };
}

/** Takes the database, and brings its tables up while it holds the lease. */
async function prepare(options: PostgresOptions, told: Pick<LeaseOptions, 'mark' | 'onReopened'>) {
  const { address, modules, node, onLost, peers, say, version } = options;
  const open = (): Promise<Session> => openSession(address, 'lease');
  const clock = new DatabaseClock(options.clock);
  const { now, ...begun } = await agreed(clock, options);
  let { making } = begun;
  let lease: Lease | undefined;
  try {
    await checkSettings(making, address.shown);
    const identity = await whileOthersWait(making, () => openIdentity(making, { ...options, now }));
    await checkTogether(making, address.shown);
    await grantRights(making, address);
    const asker = { node: node.name, incarnation: node.incarnation, place: options.place };
    const waiting = { times: leaseTimes, version, beside: peers !== undefined, say };
    let joined: Joined | undefined;
    while (joined === undefined) {
      joined = await takeDatabase(making, asker, waiting).catch(unlessLost);
      if (joined === undefined) making = await connect(makingTables(options), 'upgrade');
    }
    const { applied, head } = joined;
    const member =
      peers === undefined
        ? undefined
        : joinOthers(peers, {
            ...{ asker, times: leaseTimes, version, joinedAt: applied, mark: told.mark, wake: () => lease?.wake() },
            isMute: () => clock.skew(Date.now()) === 'mute',
          });
    const shares = given({
      ...{ say, clock },
      epoch: head.epoch,
      beside: member,
      end: options.leaseEnd && new LeaseEnd(options.leaseEnd),
    });
    const lose = (reason: OwnerLost): void => {
      member?.refuse(unavailable());
      onLost(reason);
    };
    lease = new Lease(asker, { times: leaseTimes, open, onLost: lose, ...told, ...shares });
    await migrateAll(making, modules, { now, tell: (step) => say({ kind: 'upgrading', ...step }) });
    await grantRights(making, address);
    return { head, identity, lease };
  } catch (error) {
    await lease?.leave();
    throw privilegeFault(lostFault(error, address.shown), address);
  } finally {
    await making.close();
  }
}

function joinOthers(port: MessagePort, options: Omit<MembershipOptions, 'say'>): Membership {
  const member = new Membership({ ...options, say: (message: FromMembership) => port.postMessage(message) });
  port.on('message', (message: ToMembership) => member.hear(message));
  port.unref();
  return member;
}

/** Connects, and waits until the clock of the machine agrees with that of the database; answers the time from then on. */
async function agreed(clock: DatabaseClock, options: PostgresOptions) {
  const { now, onTime, say } = options;
  let time = now;
  const waited = (): void => {
    time = clock.now() ?? now;
    onTime(time);
  };
  for (;;) {
    const making = await connect(makingTables(options), 'upgrade');
    try {
      await clockAgreed(making, { clock, waited, say });
      return { making, now: time };
    } catch (error) {
      await making.close().catch(() => undefined);
      unlessLost(error);
    }
  }
}

// A caller that waits for the database also waits during its restarts.
function unlessLost(error: unknown): undefined {
  if (!(error instanceof SessionLost)) throw error;
}

/** A failure of a start that can be repeated: the database became unreachable, or another process was faster. */
function lostFault(error: unknown, shown: string): unknown {
  const passes = error instanceof Refused ? isUnavailable(error) : isFatal(error) && !(error instanceof WentBack);
  if (!passes) return error;
  const said = (error as Error).message || 'the connection has ended';
  return new PlatformError('storage_unavailable', `${shown} was lost during the start: ${said}`, {}, { cause: error });
}

interface Connecting extends Pick<PostgresOptions, 'address' | 'say'> {
  /** Default: ORB_STORE_URL. */
  readonly setting?: string;
}

// A pooler names the parameter, which may be a timeout.
const startup = /startup parameter/;

// What OpenSSL says ends with a line of its own.
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

function refused(setting: string, shown: string, message: string): ConfigError {
  const pooler = startup.test(message)
    ? '; a transaction pooler refuses them: connect directly to PostgreSQL, or through a session pooler'
    : '';
  return new ConfigError([`${setting}: ${shown} cannot be opened: ${oneLine(message)}${pooler}`]);
}

// Insufficient privilege; no schema to create tables in.
const lacking = /^(42501|3F000)$/;

function privilegeFault(error: unknown, { migration, shown }: PostgresAddress): unknown {
  if (!(error instanceof Refused) || !lacking.test(error.code)) return error;
  return new ConfigError([
    migration === undefined
      ? `ORB_STORE_URL: the role of ${shown} lacks a right: ${error.message}; grant it, or set ORB_STORE_MIGRATION_URL to the role that owns the tables`
      : `ORB_STORE_MIGRATION_URL: the role of ${migration.shown} lacks a right: ${error.message}; name the role that owns the tables`,
  ]);
}

/** Options of a session that makes tables. */
function makingTables({ address, say }: Connecting): Connecting {
  const named = address.migration === undefined ? {} : { setting: 'ORB_STORE_MIGRATION_URL' };
  return { address: ownerOf(address), say, ...named };
}

const patienceMs = 30_000;
const retryMs = 250;
// The server is starting or has no free connection, or does not listen yet: retry.
const passing = /^(57P03|53300|ECONNREFUSED|ECONNRESET|ENOENT|ETIMEDOUT|EPIPE|EAI_AGAIN)$/;

/** Opens a session; it tells once that the server does not answer at first. */
async function connect({ address, say, setting = 'ORB_STORE_URL' }: Connecting, purpose: Purpose): Promise<Session> {
  for (let until = performance.now() + patienceMs, told = false; ;) {
    try {
      return await openSession(address, purpose);
    } catch (error) {
      const { code = '', message } = error as Error & { readonly code?: string };
      const passes = passing.test(code) || (/timeout|terminated/.test(message) && !startup.test(message));
      if (!passes) throw refused(setting, address.shown, message);
      if (!told) say({ kind: 'away', failure: pack(error) });
      told = true;
      if (performance.now() > until)
        throw new PlatformError('storage_unavailable', `${address.shown} does not answer: ${message}`);
    }
    await delay(retryMs);
  }
}
