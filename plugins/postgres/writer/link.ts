import { setTimeout as delay } from 'node:timers/promises';
import { OwnerLost, pack, PlatformError, WentBack, type EngineEvent } from '../../../kernel/engine.ts';
import type { ServerMark } from '../memory/server-mark.ts';
import { isDisturbed, isUnavailable } from '../connection/fault.ts';
import { rowOf } from '../cluster/members.ts';
import { NotCommitted, Refused, SessionLost, type Answered, type Bound } from '../connection/flush.ts';
import { batchEnd, fence, fenceCode, moveEpoch, newestBatch, type NodeHead } from '../cluster/node.ts';
import { bind, type Session } from '../connection/session.ts';

/** What a link needs. */
export interface LinkOptions {
  /** Opens a session; called again when one is lost. */
  open(): Promise<Session>;
  readonly session: Session;
  readonly head: NodeHead;
  /** Where it is noted how far the process has come. */
  readonly mark?: ServerMark | undefined;
  /** Called once when the database has been away for some seconds, with what it said last. */
  say?(event: EngineEvent): void;
}

const awayMs = 5000;
const retryMs = 100;
// How often a read is sent that another transaction disturbs.
const readAttempts = 5;

/**
 * The writer's place in the database: its session, and the head behind which each of its transactions stands. While the
 * database is unreachable, it waits, so that no caller gets an uncertain answer.
 */
export class Link {
  readonly #options: LinkOptions;
  #session: Session;
  #head: NodeHead;
  /** Losses of the session, for the log. */
  faults: unknown[] = [];
  /** Whether callers no longer wait for the database. */
  ending = false;
  /** For how long the database was away so far, as far as `recover` waited for it. Milliseconds. */
  awayMs = 0;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#session = options.session;
    this.#head = options.head;
    options.mark?.note(options.head);
  }

  /** Sends statements that commit nothing, or lie in a transaction that is open. */
  flush(statements: readonly Bound[]): Promise<readonly Answered[]> {
    return this.#session.flush(statements).catch(gone);
  }

  /**
   * Reads outside of a transaction; by another session when this one is lost, and again when another transaction
   * disturbed it. Rejects with `storage_unavailable` when the server cannot answer now.
   */
  async read(statements: readonly Bound[]): Promise<readonly Answered[]> {
    for (let attempt = 1; ;) {
      try {
        return await this.flush(statements);
      } catch (error) {
        if (error instanceof SessionLost) {
          this.faults.push(error);
          await this.recover();
        } else if (isDisturbed(error) && attempt < readAttempts) await delay(attempt++);
        else if (error instanceof Refused && isUnavailable(error))
          throw new PlatformError('storage_unavailable', undefined, { retry_after: 1 }, { cause: error });
        else throw error;
      }
    }
  }

  /** Commits statements as one transaction of one flush. Answers nothing to them when that was learned only later. */
  async commitFlush(statements: readonly Bound[]): Promise<readonly Answered[]> {
    const answers = await this.#commit([fence(this.#head), ...statements, ...batchEnd(this.#head)]);
    return answers.slice(1);
  }

  /**
   * Does work in a transaction that waits for its answers; `work` answers the last statements. Rejects with the error
   * of the work, whose changes are rolled back.
   */
  async transaction(work: () => Promise<readonly Bound[]>): Promise<void> {
    try {
      await this.flush([bind('BEGIN', [])]);
      await this.flush([fence(this.#head)]).catch(fenced);
      await this.flush([...(await work()), ...batchEnd(this.#head)]);
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

  /**
   * Opens a new session and reads the head again, as soon as the database is there; answers whether the transaction
   * that was lost turns out committed. Rejects with SessionLost if callers no longer wait.
   */
  async recover(): Promise<boolean> {
    const [before, since] = [this.awayMs, performance.now()];
    // Another server may now answer under the same name, so do not read from the former one.
    this.#options.mark?.reopen();
    for (let told = false; ;) {
      try {
        return await this.#recovered().finally(() => (this.awayMs = before + performance.now() - since));
      } catch (error) {
        if (error instanceof OwnerLost) throw error;
        if (this.ending) throw new SessionLost('the database is not reachable', { cause: error });
        if (!told && performance.now() - since > awayMs) {
          told = true;
          this.#options.say?.({ kind: 'away', failure: pack(error) });
        }
        await delay(retryMs);
      }
    }
  }

  /** Ends the session. */
  async close(): Promise<void> {
    const late = setTimeout(() => this.#session.abandon(), 1000);
    await this.#session.close().catch(() => undefined);
    clearTimeout(late);
  }

  async #recovered(): Promise<boolean> {
    const known = this.#head;
    this.#session.abandon();
    this.#session = await this.#options.open();
    const [moved] = await this.flush([moveEpoch(known)]);
    const epoch = moved?.rows[0]?.['epoch'];
    if (epoch === undefined) throw await this.#loss(known);
    const [newest] = await this.flush([newestBatch(known)]);
    const batch = Number(newest?.rows[0]?.['batch'] ?? 0);
    if (batch !== known.batch && batch !== known.batch + 1)
      throw new WentBack(`the store is at batch ${batch}, this process at ${known.batch}: the database went back`);
    this.#moveTo({ ...known, epoch: Number(epoch), batch });
    this.#options.mark?.reopen();
    return batch === known.batch + 1;
  }

  #moveTo(head: NodeHead): void {
    this.#head = head;
    this.#options.mark?.note(head);
  }

  async #loss({ epoch, node }: NodeHead): Promise<OwnerLost> {
    const [found] = await this.flush([rowOf(node)]);
    // An epoch never gets smaller.
    if (Number(found?.rows[0]?.['epoch'] ?? 0) < epoch)
      return new WentBack('the store has an older row of this process: the database went back');
    return new OwnerLost('another process took over from this one');
  }

  async #commit(statements: readonly Bound[]): Promise<readonly Answered[]> {
    const { batch } = this.#head;
    try {
      const answers = await this.flush(statements).catch(fenced);
      this.#moveTo({ ...this.#head, batch: batch + 1 });
      return answers;
    } catch (error) {
      if (!(error instanceof SessionLost)) throw error;
      this.faults.push(error);
      if (await this.recover()) return [];
      throw new NotCommitted();
    }
  }
}

// The server goes down, or only reads because another one took its place: the session is as good as lost.
function gone(error: unknown): never {
  if (error instanceof Refused && /^(57P|25006)/.test(error.code))
    throw new SessionLost(error.message, { cause: error });
  throw error;
}

function fenced(error: unknown): never {
  if (error instanceof Refused && error.at === 0 && error.code === fenceCode)
    throw new OwnerLost('another process took over from this one');
  throw error;
}
