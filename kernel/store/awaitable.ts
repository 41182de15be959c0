import { within } from '../tools/every.ts';
import type { Awaitable, Connection, WriteConnection, WriterScope } from './contract.ts';

/** Uses a value when it is known: now, or once its promise resolves. */
export function whenKnown<T, U>(value: Awaitable<T>, use: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(use) : use(value);
}

/** Work that yields the promises for which it waits; each comes back as its value. */
export type Steps<T> = Generator<Promise<unknown>, T>;

// An operation waits for nothing but its statements.
const patienceMs = 10_000;

function tooLong(): never {
  throw new Error('an operation of a store waits for more than its statements');
}

/** Does work to its end, at once when it yields no promise. Rejects when a promise takes longer than ten seconds. */
export function done<T>(steps: Steps<T>): Awaitable<T> {
  const { done: ended, value } = steps.next();
  return ended === true ? value : later(steps, value);
}

async function later<T>(steps: Steps<T>, first: Promise<unknown>): Promise<T> {
  let waited = first;
  for (;;) {
    const [settled] = await within(patienceMs, Promise.allSettled([waited]), tooLong);
    const step = settled.status === 'fulfilled' ? steps.next(settled.value) : steps.throw(settled.reason);
    if (step.done === true) return step.value;
    waited = step.value;
  }
}

/** The scope of a store module on an engine that answers at once. */
export interface ImmediateScope extends WriterScope {
  readonly connection: Connection;
}

/** Takes the scope of an engine that answers at once. Throws where the database is on another machine. */
export function immediate(scope: WriterScope): ImmediateScope {
  if (atOnce(scope.connection) === undefined) throw new Error('this store module needs an engine that answers at once');
  return scope as ImmediateScope;
}

/** Takes a connection for one that answers at once; undefined when its engine is not in this process. */
export function atOnce(connection: WriteConnection): Connection | undefined {
  const asked = connection.prepare('SELECT 1 AS one').get();
  if (asked instanceof Promise) {
    // The answer is not awaited.
    asked.catch(() => undefined);
    return undefined;
  }
  // An engine that answers one statement at once answers all.
  return connection as Connection;
}
