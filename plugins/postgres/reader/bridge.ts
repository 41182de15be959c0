/**
 * Statements that answer at once on a database that answers later: the thread that asks sleeps until another thread has
 * the answer. Only a thread that does nothing else but read uses it.
 */

import { MessageChannel, receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import {
  given,
  PlatformError,
  startThread,
  type EngineView,
  type Row,
  type Statement,
  type StoreAddress,
  type Value,
  type ViewOptions,
} from '../../../kernel/engine.ts';
import type { PostgresAddress } from '../connection/address.ts';
import { isDisturbed, isUnavailable, repeated } from '../connection/fault.ts';
import { Refused } from '../connection/flush.ts';
import { ReadServer, type ReadServerOptions } from './read-server.ts';
import { bind } from '../connection/session.ts';

/** The data with which the thread that talks to the database starts. */
export interface BridgeData extends ReadServerOptions {
  readonly address: PostgresAddress;
  readonly port: MessagePort;
  /** Counts the answers. */
  readonly turns: Int32Array;
}

interface Question {
  /** The reply has the same number: one that comes late answers no other question. */
  readonly number: number;
  /** The statement belongs to a snapshot, which ends with the connection. */
  readonly held: boolean;
  readonly sql: string;
  readonly values: readonly Value[];
}

type Reply = { readonly number: number } & (
  | { readonly kind: 'rows'; readonly rows: readonly Row[] }
  | { readonly kind: 'refused'; readonly message: string; readonly code: string }
  | { readonly kind: 'away' }
);

type Asking = (sql: string, values: readonly Value[]) => readonly Row[];

// A session gives up connecting, or an answer, after four seconds; a read is tried on two sessions.
const patienceMs = 9000;
// How often, and for how long, a read is sent again that another transaction disturbs.
const attempts = 5;
const againMs = 1000;

/**
 * Opens the bridge to a database; the first statement that is asked connects. Once its snapshot is held, a lost connection
 * is not opened again.
 */
export function openBridge(
  address: StoreAddress & PostgresAddress,
  { serving = false, writer }: ViewOptions = {},
): EngineView {
  const { port1: port, port2 } = new MessageChannel();
  const turns = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const data: BridgeData = { address, serving, port: port2, turns, ...given({ writer }) };
  const worker = startThread('reader connection', { engine: { module: address.module }, data }, [port2]);
  worker.unref();
  port.unref();
  let number = 0;
  let held = false;
  const ask: Asking = (sql, values) => {
    port.postMessage({ number: ++number, held, sql, values } satisfies Question);
    const reply = replyTo(number, port, turns);
    if (reply?.kind === 'rows') return reply.rows;
    if (reply?.kind === 'refused')
      throw Object.assign(new Error(`the database refused a read: ${reply.message}`), { code: reply.code });
    throw new PlatformError('storage_unavailable', 'the database does not answer; send the request again', {
      retry_after: 1,
    });
  };
  const tables = reading(tableNamed, ask);
  return {
    prepare: (sql) => reading(sql, ask),
    hasTable: (name) => tables.get(name) !== undefined,
    hold() {
      ask('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', []);
      held = true;
      // The snapshot is that of the first statement in the transaction.
      ask('SELECT 1 AS one', []);
    },
    close: () => void worker.terminate(),
  };
}

const tableNamed = `SELECT 1 AS one FROM pg_catalog.pg_class
  WHERE relname = ? AND relkind = 'r' AND pg_catalog.pg_table_is_visible(oid)`;

function replyTo(number: number, port: MessagePort, turns: Int32Array): Reply | undefined {
  const end = performance.now() + patienceMs;
  for (;;) {
    // Read before the port: a reply that comes in between ends the wait at once.
    const turn = Atomics.load(turns, 0);
    const reply = receiveMessageOnPort(port)?.message as Reply | undefined;
    if (reply?.number === number) return reply;
    if (reply === undefined && Atomics.wait(turns, 0, turn, end - performance.now()) === 'timed-out') return undefined;
  }
}

function reading(sql: string, ask: Asking): Statement {
  const refuse = (): never => {
    throw new Error(`a read changes nothing: ${sql}`);
  };
  return {
    ...{ queue: refuse, must: refuse, run: refuse },
    get: (...values) => ask(sql, values)[0],
    all: (...values) => [...ask(sql, values)],
  };
}

/** Serves as the thread that talks to the database, on one connection, which it opens again when it is lost. */
export function serveBridge({ address, port, serving, turns, writer }: BridgeData): void {
  const server = new ReadServer(address, { serving, ...given({ writer }) });
  const asked = async ({ held, sql, values }: Question): Promise<readonly Row[]> => {
    const since = performance.now();
    const read = async (): Promise<readonly Row[]> => (await server.read(bind(sql, values))).rows;
    return repeated(attempts, read, (error) => {
      // An error ends the transaction of a snapshot, and with it the snapshot.
      if (held) server.end();
      return !held && performance.now() - since <= againMs && isDisturbed(error);
    });
  };
  const replyOf = async (question: Question, isLast: boolean): Promise<Reply> => {
    const { number } = question;
    try {
      return { number, kind: 'rows', rows: await asked(question) };
    } catch (error) {
      if (error instanceof Refused) {
        const { code, message } = error;
        return isUnavailable(error) ? { number, kind: 'away' } : { number, kind: 'refused', message, code };
      }
      if (question.held) return { number, kind: 'away' };
      server.leave();
      return isLast ? { number, kind: 'away' } : replyOf(question, true);
    }
  };
  // The thread that asks waits for each reply, so there is one question at a time.
  port.on('message', (question: Question) => {
    void replyOf(question, false).then((reply) => {
      port.postMessage(reply);
      Atomics.add(turns, 0, 1);
      Atomics.notify(turns, 0);
    });
  });
}
