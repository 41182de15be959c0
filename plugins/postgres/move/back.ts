/**
 * A move of a store from its database into a file. One transaction holds the database from the first look to the mark,
 * so that a process that dies on the way leaves exactly one place to start on:
 *
 * | step    | database                                                               | file                       |
 * | ------- | ---------------------------------------------------------------------- | -------------------------- |
 * | marked  | starts when this process has ended; until then a start waits           | none, or refuses: moved    |
 * | filled  | likewise                                                               | likewise; all rows are in  |
 * | checked | likewise                                                               | likewise; log was checked  |
 * | left    | starts from this state dir alone, where the file is not in its place   | refuses                    |
 * | settled | refuses                                                                | starts                     |
 */

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  arrivedBy,
  checkMasterKey,
  ConfigError,
  createSealer,
  every,
  findMasterKey,
  storeFile,
} from '../../../kernel/engine.ts';
import { clock } from '../cluster/members.ts';
import { whileOthersWait } from '../tables/migration.ts';
import { intoFile, markMoving, movedFrom } from '../tables/moving.ts';
import { ask, bind, type Session } from '../connection/session.ts';
import { sealArriving, settleArriving } from './arriving.ts';
import { fillFile } from './fill-file.ts';
import type { MoveOptions, MoveResult } from './move.ts';
import { installationIn, lookAt, withTarget, type TargetState } from './target.ts';

/** What a move into a file needs. */
export interface MoveBackOptions extends Omit<MoveOptions, 'check'> {
  /** Checks what the file in a folder holds; rejects when it is not sound. */
  check(folder: string): Promise<void>;
}

/**
 * Moves the store of a database into a file of the state dir, or ends a move that was interrupted. Throws ConfigError when
 * a server runs on either, or the state dir holds a store that is in use; then the database stays in use.
 */
export async function moveBack(options: MoveBackOptions): Promise<MoveResult> {
  const { address, onStep, stateDir } = options;
  if (!existsSync(stateDir)) throw new ConfigError([`ORB_STATE_DIR: ${stateDir} is not there`]);
  return withTarget(address, stateDir, async (session) => {
    const state = await lookAt(session);
    const installation = installationOf(state, address.shown);
    const result = state.move === undefined ? await moveAll(options, session, installation) : { installation };
    if (state.move !== undefined && refuseUnlessArrived(stateDir, state)) return result;
    settleArriving(stateDir);
    await onStep('settled');
    return result;
  });
}

function installationOf({ installation }: TargetState, shown: string): string {
  if (installation !== undefined) return installation;
  throw new ConfigError([`ORB_STORE_URL: ${shown} holds no store; nothing was changed`]);
}

/** Answers whether the move had ended already. */
function refuseUnlessArrived(stateDir: string, { installation, move }: TargetState): boolean {
  if (move !== undefined && arrivedBy(stateDir) !== undefined && intoFile(arrivedBy(stateDir) ?? '') === move)
    return false;
  if (move?.startsWith(intoFile('')) === true && inUse(stateDir) === installation) return true;
  throw new ConfigError([
    move?.startsWith(intoFile('')) === true
      ? 'ORB_STORE_URL: the store of this database was moved into a file of another state dir; run the command there'
      : 'ORB_STORE_URL: the database is being filled by `orb store move`, which has not ended; run it again without --to-file',
  ]);
}

/** Installation of the store in the file of a state dir that is in use; undefined: there is none. */
function inUse(stateDir: string): string | undefined {
  const isInUse = existsSync(join(stateDir, storeFile)) && movedFrom(stateDir) === undefined;
  return isInUse ? installationIn(stateDir) : undefined;
}

async function moveAll(options: MoveBackOptions, session: Session, installation: string): Promise<MoveResult> {
  const { address, masterKey: value, modules, now, onStep, stateDir, tellRows } = options;
  if (inUse(stateDir) !== undefined)
    throw new ConfigError([`ORB_STATE_DIR: ${stateDir} holds a store that is in use; nothing was changed`]);
  const masterKey = findMasterKey({ stateDir, value, storeExists: true });
  const move = randomBytes(16).toString('hex');
  const filled = await whileOthersWait(session, async () => {
    const identity = await hold(session, address.shown);
    checkMasterKey(createSealer(masterKey, installation), identity['sealed_check'] as Uint8Array);
    await onStep('marked');
    const done = await fillFile(session, {
      ...{ stateDir, masterKey, modules, now, installation, tellRows },
      identity,
    });
    await onStep('filled');
    await keptAlive(session, () => options.check(done.folder));
    await onStep('checked');
    sealArriving(stateDir, move);
    await markMoving(session, intoFile(move));
    return done.filled;
  });
  await onStep('left');
  return { installation, filled };
}

// A running server makes the move fail; a suspended one that wakes up finds that it was declared dead.
async function hold(session: Session, shown: string) {
  const locked = await ask(
    session,
    `SELECT node, CASE WHEN state = 'live' AND lease_until > ${clock} THEN 1 ELSE 0 END AS runs FROM kernel_nodes ORDER BY node FOR UPDATE`,
  );
  const running = locked.filter(({ runs }) => Number(runs) === 1).map(({ node }) => String(node));
  if (running.length > 0)
    throw new ConfigError([
      `ORB_STORE_URL: servers run on ${shown}: ${running.join(', ')}; stop them. One that was killed counts as running for some seconds`,
    ]);
  const [, , found] = await session.flush([
    bind(`INSERT INTO kernel_ended (incarnation, node, adopter, clean) SELECT incarnation, node, '', 0 FROM kernel_nodes
       WHERE state = 'live' ON CONFLICT (incarnation) DO NOTHING`),
    bind(`UPDATE kernel_nodes SET epoch = epoch + 1, state = 'dead' WHERE state = 'live'`),
    bind('SELECT sealed_check, created_at FROM kernel_installation'),
  ]);
  return found?.rows[0] ?? {};
}

const aliveMs = 10_000;

// The server ends a transaction that is idle for a minute.
async function keptAlive(session: Session, work: () => Promise<void>): Promise<void> {
  // A connection that was lost is met by the statement that follows.
  const stop = every(
    aliveMs,
    () => ask(session, 'SELECT 1'),
    () => undefined,
  );
  try {
    await work();
  } finally {
    stop();
  }
}
