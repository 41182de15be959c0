import { done, type Steps } from '../awaitable.ts';
import { takingOf } from '../sql/claim.ts';
import type { Awaitable, Operations, WriteContext, Writing } from '../contract.ts';
import { OwnerLost, stepsOf, tableOf, takeGuard, type NamedWriting, type Step } from '../committer.ts';
import { isStorageFault, type Database } from './database.ts';
import { readHead, type Head } from './head.ts';
import { pack, type Answer, type Batch, type Failure, type OperationTable } from '../message.ts';

interface Taker {
  readonly writing: Writing<Operations>;
  readonly context: WriteContext;
  items: object[];
  touched: boolean;
}

/** Commits batches on the writing connection, one transaction each. Runs in the writer thread. */
export class Committer {
  readonly #database: Database;
  readonly #takers: readonly Taker[];
  readonly #steps: readonly Step<Taker>[];
  readonly #statements;
  /** Items deferred in this batch, each with its taker; a failing write removes those from its beginning on. */
  readonly #deferred: { taker: Taker; item: object }[] = [];
  readonly operations: OperationTable;
  #head: Head;
  #stale = false;
  /** When the batch that is built left the main thread. */
  #at = 0;

  constructor(database: Database, head: Head, modules: readonly NamedWriting[]) {
    this.#database = database;
    this.#head = head;
    this.#takers = modules.map((module) => this.#taker(module));
    this.operations = tableOf(modules);
    this.#steps = stepsOf(this.#takers);
    this.#statements = {
      begin: database.prepare('BEGIN IMMEDIATE'),
      commit: database.prepare('COMMIT'),
      rollback: database.prepare('ROLLBACK'),
      savepoint: database.prepare('SAVEPOINT one_write'),
      release: database.prepare('RELEASE one_write'),
      undo: database.prepare('ROLLBACK TO one_write'),
      advance: database.prepare('UPDATE kernel_head SET batch = batch + 1 WHERE epoch = ? AND batch = ?'),
    };
  }

  /** Lets the modules open, each in a transaction of its own. */
  async open(): Promise<void> {
    const { begin, commit, rollback } = this.#statements;
    for (const { context, writing } of this.#takers) {
      if (writing.open === undefined) continue;
      begin.run();
      try {
        await writing.open({ guard: context.guard });
        commit.run();
      } catch (error) {
        if (this.#database.inTransaction()) rollback.run();
        throw error;
      }
      writing.committed?.();
    }
  }

  /**
   * Commits a batch, rebuilding it once from the committed state, and answers the result of each write: at once unless
   * an operation is asynchronous. Throws OwnerLost, or the error after which nothing more can be committed.
   */
  commit(batch: Batch): Awaitable<Answer> {
    return done(this.#commit(batch));
  }

  *#commit(batch: Batch): Steps<Answer> {
    if (this.#stale) yield* this.#recover();
    this.#at = batch.at;
    const faults: Failure[] = [];
    for (let attempt = 0; attempt < 2; attempt++) {
      let answer: Answer | undefined;
      try {
        answer = yield* this.#build(batch);
        this.#settle(answer, batch, faults);
        return faults.length === 0 ? answer : { ...answer, faults };
      } catch (error) {
        faults.push(pack(error));
        if ((yield* this.#recover()) && answer !== undefined) return { ...answer, faults };
      }
    }
    return { kind: 'answer', results: [], failures: [], rejected: true, faults };
  }

  #taker({ name, writing, claims = [] }: NamedWriting): Taker {
    const guard = this.#database.prepare(takeGuard);
    const taker: Taker = {
      writing,
      context: {
        defer: (item) => void this.#deferred.push({ taker, item }),
        claim: takingOf(this.#database, claims),
        guard: (about) => guard.queue(`${name} ${about}`),
        // No other process has the file open.
        tell: () => undefined,
        time: () => this.#at,
      },
      items: [],
      touched: false,
    };
    return taker;
  }

  /** Runs the writes and the modules' work before the commit; leaves the transaction open. */
  *#build(batch: Batch): Steps<Answer> {
    const { begin } = this.#statements;
    begin.run();
    const answer = (yield* this.#runAll(batch)) ?? (yield* this.#runEach(batch));
    yield* this.#beforeCommit();
    return answer;
  }

  #begin(): void {
    this.#deferred.length = 0;
    for (const taker of this.#takers) taker.touched = false;
  }

  // Nearly always every write succeeds, and needs no savepoint of its own, which costs a copy of each page it touches.
  *#runAll(batch: Batch): Steps<Answer | undefined> {
    this.#begin();
    const results: unknown[] = [];
    try {
      yield* this.#operateTo(batch.codes.length, batch, results);
      return { kind: 'answer', results, failures: [] };
    } catch (error) {
      if (isStorageFault(error) || !this.#database.inTransaction()) throw error;
      this.#statements.rollback.run();
      this.#statements.begin.run();
      return undefined;
    }
  }

  *#runEach(batch: Batch): Steps<Answer> {
    const { savepoint, release } = this.#statements;
    this.#begin();
    const results: unknown[] = [];
    const failures: [number, Failure][] = [];
    const { sizes } = batch;
    for (let write = 0; write < sizes.length; write++) {
      const start = results.length;
      const end = start + (sizes[write] ?? 0);
      const mark = this.#deferred.length;
      savepoint.run();
      try {
        yield* this.#operateTo(end, batch, results);
        release.run();
      } catch (error) {
        this.#undo(error);
        this.#deferred.length = mark;
        failures.push([write, pack(error)]);
        results.length = start;
        while (results.length < end) results.push(undefined);
      }
    }
    return { kind: 'answer', results, failures };
  }

  /** Runs the operations that have no result yet, as far as one before the end. */
  *#operateTo(end: number, batch: Batch, results: unknown[]): Steps<void> {
    for (;;) {
      const waited = this.#operateAtOnce(end, batch, results);
      if (waited === undefined) return;
      results.push(yield waited);
    }
  }

  /** Runs operations until one must be waited for, and returns that promise; no generator, as this loop is the hot path. */
  #operateAtOnce(end: number, { codes, args }: Batch, results: unknown[]): Promise<unknown> | undefined {
    for (let index = results.length; index < end; index++) {
      const code = codes[index] ?? -1;
      const step = this.#steps[code];
      if (step === undefined) throw new Error(`there is no operation ${code}`);
      step.taker.touched = true;
      const result = step.run(args[index] as never, step.taker.context);
      if (result instanceof Promise) return result;
      results.push(result);
    }
    return undefined;
  }

  /** Undoes one failing write, or rethrows an error that concerns the whole batch. */
  #undo(error: unknown): void {
    if (isStorageFault(error) || !this.#database.inTransaction()) throw error;
    this.#statements.undo.run();
    this.#statements.release.run();
  }

  *#beforeCommit(): Steps<void> {
    for (const taker of this.#takers) taker.items = [];
    for (const { taker, item } of this.#deferred) taker.items.push(item);
    for (const { items, writing } of this.#takers) {
      const going = items.length > 0 ? writing.beforeCommit?.(items) : undefined;
      if (going instanceof Promise) yield going;
    }
  }

  /** Advances the head and commits; a batch in which every write failed leaves no trace. */
  #settle({ failures }: Answer, { sizes }: Batch, faults: Failure[]): void {
    const { advance, commit, rollback } = this.#statements;
    if (failures.length === sizes.length) {
      rollback.run();
      return;
    }
    const { epoch, batch } = this.#head;
    if (advance.run(epoch, batch) !== 1) throw new OwnerLost('another process took over the store');
    commit.run();
    this.#head = { epoch, batch: batch + 1 };
    this.#announce(faults);
  }

  #announce(faults: Failure[]): void {
    try {
      for (const { touched, writing } of this.#takers) if (touched) writing.committed?.();
    } catch (error) {
      // The batch is durable and its answers are sent; the state in memory is read again before the next batch.
      this.#stale = true;
      faults.push(pack(error));
    }
  }

  /** Returns to the committed state; true when the current batch turns out to be committed. */
  *#recover(): Steps<boolean> {
    if (this.#database.inTransaction()) this.#statements.rollback.run();
    const found = readHead(this.#database);
    const known = this.#head;
    if (found.epoch !== known.epoch) throw new OwnerLost('another process took over the store');
    if (found.batch !== known.batch && found.batch !== known.batch + 1)
      throw new Error(`the store is at batch ${found.batch}, its writer at ${known.batch}`);
    for (const { writing } of this.#takers) {
      const going = writing.reload?.();
      if (going instanceof Promise) yield going;
    }
    this.#head = found;
    this.#stale = false;
    return found.batch === known.batch + 1;
  }
}
