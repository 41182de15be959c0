import { setTimeout as delay } from 'node:timers/promises';
import { OwnerLost, pack, tableOf } from '../../../kernel/engine.ts';
import type { Answer, Batch, NamedWriting, OperationTable } from '../../../kernel/engine.ts';
import { isFatal, isPassing, isStorageFault, repeated, StateLost } from '../connection/fault.ts';
import { Refused, SessionLost } from '../connection/flush.ts';
import { Link, type LinkOptions } from './link.ts';
import { meaningOf, type Ask, type Outgoing } from './outgoing.ts';
import { answered, heard, keep, progressOf, refuse, writesOf } from './progress.ts';
import type { Gathered, Progress, Write } from './progress.ts';
import { Running } from './running.ts';
import { Answering, hasSucceeded, tooLate } from './turn.ts';

/** What the committer works with. */
export interface CommitterOptions extends LinkOptions {
  /** The connection with which the modules prepared their statements. */
  readonly outgoing: Outgoing;
  readonly modules: readonly NamedWriting[];
  /** How long a write may take, however often it is tried, without the time in which the database is away; milliseconds. */
  readonly limitMs?: number;
}

const attempts = 60;
const usualLimitMs = 10_000;
// When so many writes of a batch took too long the database is slow: the others do not wait for it one after the other.
const mostLate = 2;

/**
 * Commits batches on PostgreSQL. Writes that need no answer before their commit go out together as one flush, which is
 * one transaction; a write that needs one has a transaction of its own, and so has each write of a flush that was refused.
 */
export class PostgresCommitter {
  readonly operations: OperationTable;
  readonly #link: Link;
  readonly #outgoing: Outgoing;
  readonly #running: Running;
  readonly #limitMs: number;
  /** Operations that asked for an answer when they last ran: they are not tried without it. */
  readonly #asking = new Set<number | undefined>();
  /** The state in memory is to be read from the committed rows. */
  #stale = false;
  /** The session is to be opened again. */
  #lost = false;
  readonly #ask: Ask = (statements) => this.#link.flush(statements);
  readonly #read: Ask = (statements) => this.#link.read(statements);

  constructor({ limitMs = usualLimitMs, outgoing, modules, ...link }: CommitterOptions) {
    this.#limitMs = limitMs;
    this.#link = new Link(link);
    this.#outgoing = outgoing;
    this.#running = new Running(outgoing, modules, link.head);
    this.operations = tableOf(modules);
  }

  /**
   * Commits a batch and answers the result of each write; waits for the database while it is away. Rejects with
   * OwnerLost when another process took this one's place, or with what made the committed state unreadable: then nothing
   * more can be committed.
   */
  async commit(batch: Batch): Promise<Answer> {
    const progress = progressOf(batch, this.#limitMs, () => this.#link.awayMs);
    const all = writesOf(batch);
    for (let finished = false; !finished;) {
      try {
        await this.#restore();
        let writes = all.filter(({ number }) => !progress.done.has(number));
        while (writes.length > 0) writes = writes.slice(await this.#next(writes, progress));
        finished = true;
      } catch (error) {
        if (error instanceof OwnerLost || error instanceof StateLost) throw error;
        [this.#stale, this.#lost] = [true, true];
        progress.faults.push(error);
        finished = !(error instanceof SessionLost) || this.#link.ending;
        if (finished) refuse(all, progress);
      }
    }
    const faults = [...this.#link.faults.splice(0), ...progress.faults].map(pack);
    return {
      ...answered(progress),
      ...(this.#lost && progress.done.size === 0 ? { rejected: true } : {}),
      ...(faults.length === 0 ? {} : { faults }),
    };
  }

  /** Lets the modules open, each in a transaction of its own. */
  async open(): Promise<void> {
    for (const { context, writing } of this.#running.takers) {
      if (writing.open === undefined) continue;
      const open = () => this.#transaction(async () => writing.open?.({ guard: context.guard }));
      await repeated(attempts, open, isPassing);
      writing.committed?.();
    }
  }

  /** Opens its session again, between two batches: the database may be on another server now. */
  async reopen(): Promise<void> {
    [this.#stale, this.#lost] = [true, true];
    await this.#restore();
  }

  /** Lets no batch wait for the database any more. */
  end(): void {
    this.#link.ending = true;
  }

  /** Lets the modules write down what a later start must know: the database is older than what they have committed. */
  wentBack(): void {
    for (const { writing } of this.#running.takers) writing.wentBack?.();
  }

  /** Ends the session. */
  close(): Promise<void> {
    return this.#link.close();
  }

  async #restore(): Promise<void> {
    if (this.#lost) await this.#link.recover();
    this.#lost = false;
    if (this.#stale) await this.#reload();
  }

  /** Deals with some of the first writes; answers with how many. */
  async #next(writes: readonly Write[], progress: Progress): Promise<number> {
    const asks = ({ from, to }: Write): boolean =>
      progress.batch.codes.slice(from, to).some((code) => this.#asking.has(code));
    const first = writes.findIndex(asks);
    const together = first < 0 ? writes : writes.slice(0, first);
    if (together.length > 0) return this.#together(together, progress);
    for (const write of writes.slice(0, 1)) await this.#alone(write, progress);
    return 1;
  }

  /** Sends writes as one flush; answers with how many of them it dealt with. */
  async #together(writes: readonly Write[], progress: Progress): Promise<number> {
    const { patience } = progress;
    for (let attempt = 1; !patience.isOver; attempt++) {
      const gathered = await this.#outgoing.turns.run(() => this.#gather(writes, progress.batch));
      this.#outgoing.turns.end();
      if (gathered === undefined) return 0;
      const { statements, settle } = this.#outgoing.take();
      let answers;
      try {
        const commit = () => this.#link.commitFlush(statements);
        answers = statements.length === 0 ? [] : await patience.spend(commit);
      } catch (error) {
        await this.#undo(error);
        if (isPassing(error) && attempt < attempts) {
          await delay(attempt);
          continue;
        }
        if (!(error instanceof Refused) || isStorageFault(error)) throw error;
        break;
      }
      this.#announce(progress);
      await settle(answers, this.#read);
      for (const one of gathered) await keep(progress, one);
      return writes.length;
    }
    // Each alone, so that those succeed that are not to blame.
    for (const write of writes) await this.#alone(write, progress);
    return writes.length;
  }

  /** Runs operations and sends nothing yet; answers nothing when one of them, or the work before the commit, asks. */
  async #gather(writes: readonly Write[], { codes, args }: Batch): Promise<readonly Gathered[] | undefined> {
    this.#begin();
    const gathered: Gathered[] = [];
    for (const write of writes) {
      const mark = this.#outgoing.mark();
      const deferred = this.#running.deferred.length;
      const results: unknown[] = [];
      let index = write.from;
      try {
        for (; index < write.to; index++) {
          const result = heard(this.#running.operate(codes[index], args[index]));
          const waits = result instanceof Promise && !(result instanceof Answering) && !(await hasSucceeded(result));
          if (this.#outgoing.needed || waits) return this.#learn([codes[index]]);
          results.push(result);
        }
        gathered.push({ write, results });
      } catch (error) {
        // It failed because there was no answer.
        if (this.#outgoing.needed) return this.#learn([codes[index]]);
        this.#outgoing.undo(mark);
        this.#running.deferred.length = deferred;
        gathered.push({ write, error });
      }
    }
    try {
      await this.#running.beforeCommit();
    } catch (error) {
      if (!this.#outgoing.needed) throw error;
    }
    if (!this.#outgoing.needed) return gathered;
    this.#learn(this.#running.deferred.map(({ code }) => code));
    // The work has changed the state of the modules in memory, and is not sent.
    return this.#reload() as Promise<undefined>;
  }

  #learn(codes: readonly (number | undefined)[]): undefined {
    for (const code of codes) this.#asking.add(code);
  }

  /** Runs one write in a transaction that waits for the answers of its statements. */
  async #alone(write: Write, progress: Progress): Promise<void> {
    const patience = progress.patienceOf(write);
    for (let attempt = 1; !patience.isOver && progress.late < mostLate; attempt++) {
      try {
        const results: unknown[] = [];
        const run = () => patience.wait(this.#run(write, progress.batch, results));
        await this.#transaction(run).finally(() => patience.stop());
        this.#announce(progress);
        return await keep(progress, { write, results });
      } catch (error) {
        if (patience.isOver) progress.late++;
        // Answered before the state is read again: that may lose the session, and the rest of the batch is tried again.
        if (!isFatal(error)) await keep(progress, { write, error: meaningOf(error) });
        await this.#undo(error);
        if (!isFatal(error)) return;
        if (!isPassing(error) || attempt === attempts) throw error;
        await delay(attempt);
      }
    }
    await keep(progress, { write, error: tooLate() });
  }

  // Remember operations that need an answer; an operation that once needed none is tried without one again.
  async #run({ from, to }: Write, { codes, args }: Batch, results: unknown[]): Promise<void> {
    for (let index = from; index < to; index++) {
      const { asked, claimed } = this.#outgoing;
      const result = this.#running.operate(codes[index], args[index]);
      results.push(await result);
      const awaited = this.#outgoing.claimed > claimed && !(result instanceof Answering);
      if (this.#outgoing.asked > asked || awaited) this.#asking.add(codes[index]);
      else this.#asking.delete(codes[index]);
    }
    const { asked } = this.#outgoing;
    await this.#running.beforeCommit();
    if (this.#outgoing.asked > asked) this.#learn(this.#running.deferred.map(({ code }) => code));
  }

  /** Does work in a transaction that waits for the answers of its statements. */
  async #transaction(work: () => Promise<void>): Promise<void> {
    this.#begin();
    try {
      await this.#link.transaction(async () => {
        this.#outgoing.ask = this.#ask;
        await this.#outgoing.turns.run(work);
        this.#outgoing.ask = undefined;
        return this.#outgoing.take().statements;
      });
    } finally {
      this.#outgoing.ask = undefined;
      this.#outgoing.turns.end();
    }
  }

  #begin(): void {
    this.#outgoing.take();
    this.#outgoing.needed = false;
    this.#running.begin();
  }

  #announce(progress: Progress): void {
    try {
      for (const { touched, writing } of this.#running.takers) if (touched) writing.committed?.();
    } catch (error) {
      // The batch is durable; the state in memory is read again before the next one.
      this.#stale = true;
      progress.faults.push(error);
    }
  }

  async #undo(error: unknown): Promise<void> {
    if (error instanceof OwnerLost) throw error;
    await this.#reload();
  }

  async #reload(): Promise<void> {
    this.#stale = true;
    this.#outgoing.take();
    this.#outgoing.ask = this.#ask;
    try {
      for (const { writing } of this.#running.takers) await writing.reload?.();
      this.#stale = false;
    } catch (error) {
      if (error instanceof SessionLost || error instanceof Refused) throw error;
      throw new StateLost(`the committed state cannot be read: ${String(error)}`, { cause: error });
    } finally {
      this.#outgoing.ask = undefined;
    }
  }
}
