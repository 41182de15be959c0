import { setTimeout as delay } from 'node:timers/promises';
import { OwnerLost } from '../engine.ts';
import { Refused, SessionLost, type Answered, type Bound } from './flush.ts';
import { batchStatement, fence, fenceCode, moveEpoch, newestBatch, type NodeHead } from './node.ts';
import { bind, type Session } from './session.ts';

/** What a link needs. */
export interface LinkOptions {
  /** Opens a session; called again when one is lost. */
  open(): Promise<Session>;
  readonly session: Session;
  readonly head: NodeHead;
}

/** The session was lost before the transaction was committed: the same can be tried again. */
export class NotCommitted extends Error {}

const reconnectMs = 5000;

/** The writer's place in the database: its session, and the head behind which each of its transactions stands. */
export class Link {
  readonly #open: LinkOptions['open'];
  #session: Session;
  #head: NodeHead;
  /** Losses of the session, for the log. */
  faults: unknown[] = [];

  constructor({ open, session, head }: LinkOptions) {
    this.#open = open;
    this.#session = session;
    this.#head = head;
  }

  /** Sends statements that commit nothing, or lie in a transaction that is open. */
  flush(statements: readonly Bound[]): Promise<readonly Answered[]> {
    return this.#session.flush(statements);
  }

  /** Commits statements as one transaction of one flush. Answers nothing to them when that was learned only later. */
  async commitFlush(statements: readonly Bound[]): Promise<readonly Answered[]> {
    const answers = await this.#commit([fence(this.#head), ...statements, batchStatement(this.#head)]);
    return answers.slice(1);
  }

  /**
   * Does work in a transaction that waits for its answers; `work` answers the last statements. Rejects with what the
   * work threw, and nothing of it stays.
   */
  async transaction(work: () => Promise<readonly Bound[]>): Promise<void> {
    try {
      await this.flush([bind('BEGIN', [])]);
      await this.flush([fence(this.#head)]).catch(fenced);
      await this.flush([...(await work()), batchStatement(this.#head)]);
    } catch (error) {
      if (!(error instanceof SessionLost)) {
        await this.flush([bind('ROLLBACK', [])]).catch(() => undefined);
        throw error;
      }
      this.faults.push(error);
      await this.recover();
      throw new NotCommitted();
    }
    const [commit] = await this.#commit([bind('COMMIT', [])]);
    // A transaction that failed unseen is rolled back by COMMIT, and the server says so by another word.
    if (commit !== undefined && commit.tag !== 'COMMIT') throw new Error(`the server answered COMMIT by ${commit.tag}`);
  }

  /** Opens a new session and reads the head again; answers whether the transaction that was lost turns out committed. */
  async recover(): Promise<boolean> {
    const known = this.#head;
    this.#session.abandon();
    this.#session = await this.#reopened();
    const [moved] = await this.flush([moveEpoch(known)]);
    const epoch = moved?.rows[0]?.['epoch'];
    if (epoch === undefined) throw new OwnerLost('another process took the place of this one');
    const [newest] = await this.flush([newestBatch(known)]);
    const batch = Number(newest?.rows[0]?.['batch'] ?? 0);
    if (batch !== known.batch && batch !== known.batch + 1)
      throw new OwnerLost(`the store is at batch ${batch}, this process at ${known.batch}: the database went back`);
    this.#head = { ...known, epoch: Number(epoch), batch };
    return batch === known.batch + 1;
  }

  async #commit(statements: readonly Bound[]): Promise<readonly Answered[]> {
    const { batch } = this.#head;
    try {
      const answers = await this.flush(statements).catch(fenced);
      this.#head = { ...this.#head, batch: batch + 1 };
      return answers;
    } catch (error) {
      if (!(error instanceof SessionLost)) throw error;
      this.faults.push(error);
      if (await this.recover()) return [];
      throw new NotCommitted();
    }
  }

  async #reopened(): Promise<Session> {
    const until = performance.now() + reconnectMs;
    for (;;) {
      try {
        return await this.#open();
      } catch (error) {
        if (performance.now() > until) throw error;
        await delay(100);
      }
    }
  }
}

function fenced(error: unknown): never {
  if (error instanceof Refused && error.at === 0 && error.code === fenceCode)
    throw new OwnerLost('another process took the place of this one');
  throw error;
}
