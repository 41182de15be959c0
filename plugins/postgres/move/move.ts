/**
 * A move of a store from its file into a database. At each moment one of the two can be started on, so that a process
 * that dies on the way leaves exactly one:
 *
 * | step    | file         | database                                                              |
 * | ------- | ------------ | --------------------------------------------------------------------- |
 * | marked  | starts       | refuses: has the mark of the move                                     |
 * | filled  | starts       | refuses; it holds all rows                                            |
 * | checked | starts       | refuses; the log in it was checked                                    |
 * | left    | refuses      | starts from this state dir, where the file proves that it is unused   |
 * | settled | refuses      | starts                                                                |
 */

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  ConfigError,
  findMasterKey,
  storeFile,
  timestamp,
  type Awaitable,
  type Moved,
} from '../../../kernel/engine.ts';
import type { PostgresAddress } from '../connection/address.ts';
import { liftMoving, movedFrom, readMoving } from '../tables/moving.ts';
import type { Session } from '../connection/session.ts';
import { fill, type Filled, type TellRows } from './fill.ts';
import { openSource, type Source, type SourceOptions } from './source.ts';
import { beginFilling, installationIn, lookAt, withTarget } from './target.ts';

/** The steps of a move, in order; each is durable when it is told. */
export type MoveStep = 'marked' | 'filled' | 'checked' | 'left' | 'settled';

/** What a move needs. */
export interface MoveOptions extends Pick<SourceOptions, 'stateDir' | 'modules' | 'now' | 'tell'> {
  readonly address: PostgresAddress;
  /** Value of ORB_MASTER_KEY; absent: the key is in the state dir. */
  readonly masterKey: string | undefined;
  /** Checks what the database holds; rejects when it is not sound. */
  check(): Promise<void>;
  tellRows: TellRows;
  onStep(step: MoveStep): Awaitable<void>;
}

/** What a move has done. */
export interface MoveResult {
  readonly installation: string;
  /** Absent: an earlier run, which was interrupted, had copied everything. */
  readonly filled?: Filled;
}

/**
 * Moves the store of a state dir into an empty database, or ends a move that was interrupted. Throws ConfigError when a
 * server runs on the state dir, or the database is not empty or not fit; then the file stays in use.
 */
export async function moveStore(options: MoveOptions): Promise<MoveResult> {
  const { address, stateDir } = options;
  if (!existsSync(join(stateDir, storeFile))) throw new ConfigError([`ORB_STATE_DIR: ${stateDir} holds no store`]);
  return withTarget(address, stateDir, (session) => {
    const left = movedFrom(stateDir);
    return left === undefined ? moveAll(options, session) : end(options, left, session);
  });
}

async function moveAll(options: MoveOptions, session: Session): Promise<MoveResult> {
  const { stateDir, masterKey: value } = options;
  const masterKey = findMasterKey({ stateDir, value, storeExists: true });
  const source = openSource({ ...options, masterKey });
  try {
    return await copy({ ...options, masterKey }, source, session);
  } finally {
    source.close();
  }
}

async function copy(
  options: Omit<MoveOptions, 'masterKey'> & { readonly masterKey: Uint8Array },
  source: Source,
  session: Session,
): Promise<MoveResult> {
  const { address, masterKey, now, onStep } = options;
  const { identity } = source;
  const move = randomBytes(16).toString('hex');
  await beginFilling(session, { ...{ shown: address.shown, move, masterKey, now, identity } });
  await onStep('marked');
  const filled = await fill(session, source, options.tellRows);
  await onStep('filled');
  await options.check();
  await onStep('checked');
  // A second move of a copy of this state dir would have begun again.
  if ((await readMoving(session)) !== move)
    throw new ConfigError([`ORB_STORE_URL: another process fills ${address.shown}; nothing was changed here`]);
  source.leave({ move, place: address.shown, moved_at: timestamp(now) });
  await onStep('left');
  await liftMoving(session, move);
  await onStep('settled');
  return { installation: identity.installation, filled };
}

async function end(
  { address, onStep, stateDir }: MoveOptions,
  { move, place }: Moved,
  session: Session,
): Promise<MoveResult> {
  const state = await lookAt(session);
  const installation = installationIn(stateDir);
  if (state.installation !== installation || (state.move !== undefined && state.move !== move))
    throw new ConfigError([`ORB_STATE_DIR: the store of ${stateDir} was moved to ${place}, not to ${address.shown}`]);
  if (state.move !== undefined) await liftMoving(session, move);
  await onStep('settled');
  return { installation };
}
