import type { Operations, WriteContext, Writing } from './contract.ts';
import { isStorageFault, type Database } from './database.ts';
import { readHead, type Head } from './head.ts';
import { pack, type Answer, type Batch, type Failure, type OperationTable } from './message.ts';

/** The writing half of a store module under its name. */
export interface NamedWriting {
  readonly name: string;
  readonly writing: Writing<Operations>;
}

/** Tells that another process took the store over: whatever is committed now is not ours to follow. */
export class OwnerLost extends Error {}

interface Taker {
  readonly writing: Writing<Operations>;
  readonly context: WriteContext;
  items: object[];
  touched: boolean;
}

interface Step {
  readonly taker: Taker;
  readonly run: (args: never, write: WriteContext) => unknown;
}

/** Commits batches on the writing connection, one transaction each. Lives in the writer thread. */
export class Committer {
  readonly #database: Database;
  readonly #takers: readonly Taker[];
  readonly #steps: readonly Step[];
  readonly #statements;
  /** Items deferred in this batch with who takes them; a failing write is cut off at its beginning. */
  readonly #deferred: { taker: Taker; item: object }[] = [];
  readonly operations: OperationTable;
  #head: Head;
  #stale = false;

  constructor(database: Database, head: Head, modules: readonly NamedWriting[]) {
    this.#database = database;
    this.#head = head;
    this.#takers = modules.map(({ writing }) => this.#taker(writing));
    this.operations = modules.map(({ name, writing }) => [name, Object.keys(writing.operations)]);
    this.#steps = this.#takers.flatMap((taker) =>
      Object.values(taker.writing.operations).map((run) => ({ taker, run: run.bind(taker.writing.operations) })),
    );
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

  /**
   * Commits a batch, rebuilding it once from the committed state, and says what became of each write.
   * Throws OwnerLost, or what made the committed state unreadable: then nothing more can be committed.
   */
  commit(batch: Batch): Answer {
    if (this.#stale) this.#recover();
    const faults: Failure[] = [];
    for (let attempt = 0; attempt < 2; attempt++) {
      let answer: Answer | undefined;
      try {
        answer = this.#build(batch);
        this.#settle(answer, batch, faults);
        return faults.length === 0 ? answer : { ...answer, faults };
      } catch (error) {
        faults.push(pack(error));
        if (this.#recover() && answer !== undefined) return { ...answer, faults };
      }
    }
    return { kind: 'answer', results: [], failures: [], rejected: true, faults };
  }

  #taker(writing: Writing<Operations>): Taker {
    const taker: Taker = {
      writing,
      context: { defer: (item) => void this.#deferred.push({ taker, item }) },
      items: [],
      touched: false,
    };
    return taker;
  }

  /** Runs the writes and what the modules do before the commit; leaves the transaction open. */
  #build(batch: Batch): Answer {
    const { begin } = this.#statements;
    begin.run();
    const answer = this.#runAll(batch) ?? this.#runEach(batch);
    this.#beforeCommit();
    return answer;
  }

  #begin(): void {
    this.#deferred.length = 0;
    for (const taker of this.#takers) taker.touched = false;
  }

  // Nearly always every write succeeds: then none needs a savepoint of its own, which costs a copy of each page it
  // touches. When one fails, all are taken back, and run again one by one.
  #runAll({ codes, args }: Batch): Answer | undefined {
    this.#begin();
    // A loop: a function made for each batch would be optimised anew each time.
    const results: unknown[] = [];
    try {
      for (let index = 0; index < codes.length; index++) results.push(this.#operate(codes[index], args[index]));
      return { kind: 'answer', results, failures: [] };
    } catch (error) {
      if (isStorageFault(error) || !this.#database.inTransaction()) throw error;
      this.#statements.rollback.run();
      this.#statements.begin.run();
      return undefined;
    }
  }

  #runEach({ sizes, codes, args }: Batch): Answer {
    const { savepoint, release } = this.#statements;
    this.#begin();
    const results: unknown[] = [];
    const failures: [number, Failure][] = [];
    for (let write = 0; write < sizes.length; write++) {
      const start = results.length;
      const end = start + (sizes[write] ?? 0);
      const mark = this.#deferred.length;
      savepoint.run();
      try {
        while (results.length < end) results.push(this.#operate(codes[results.length], args[results.length]));
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

  #operate(code: number | undefined, args: unknown): unknown {
    const step = this.#steps[code ?? -1];
    if (step === undefined) throw new Error(`there is no operation ${code}`);
    step.taker.touched = true;
    const result = step.run(args as never, step.taker.context);
    if (!(result instanceof Promise)) return result;
    // Nobody waits for it, so its failure must not end the thread.
    result.catch(() => undefined);
    throw new Error('an operation of a store must be synchronous');
  }

  /** Takes one failing write back, or passes on what concerns the whole batch. */
  #undo(error: unknown): void {
    if (isStorageFault(error) || !this.#database.inTransaction()) throw error;
    this.#statements.undo.run();
    this.#statements.release.run();
  }

  #beforeCommit(): void {
    for (const taker of this.#takers) taker.items = [];
    for (const { taker, item } of this.#deferred) taker.items.push(item);
    for (const { items, writing } of this.#takers) if (items.length > 0) writing.beforeCommit?.(items);
  }

  /** Moves the head on and commits; a batch of nothing but failures leaves no trace. */
  #settle({ failures }: Answer, { sizes }: Batch, faults: Failure[]): void {
    const { advance, commit, rollback } = this.#statements;
    if (failures.length === sizes.length) {
      rollback.run();
      return;
    }
    const { epoch, batch } = this.#head;
    if (advance.run(epoch, batch) !== 1) throw new OwnerLost('another process took the store over');
    commit.run();
    this.#head = { epoch, batch: batch + 1 };
    this.#announce(faults);
  }

  #announce(faults: Failure[]): void {
    try {
      for (const { touched, writing } of this.#takers) if (touched) writing.committed?.();
    } catch (error) {
      // The batch is durable and its answers leave; what is in memory is read anew before the next one.
      this.#stale = true;
      faults.push(pack(error));
    }
  }

  /** Returns to the committed state; true when the batch at hand turns out to be committed. */
  #recover(): boolean {
    if (this.#database.inTransaction()) this.#statements.rollback.run();
    const found = readHead(this.#database);
    const known = this.#head;
    if (found.epoch !== known.epoch) throw new OwnerLost('another process took the store over');
    if (found.batch !== known.batch && found.batch !== known.batch + 1)
      throw new Error(`the store is at batch ${found.batch}, its writer at ${known.batch}`);
    for (const { writing } of this.#takers) writing.reload?.();
    this.#head = found;
    this.#stale = false;
    return found.batch === known.batch + 1;
  }
}
