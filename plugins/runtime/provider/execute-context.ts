import type { Log, ExecuteContext, Dispatch } from '../../../kernel/index.ts';

const dispatched = Symbol('dispatch');

interface Carrier {
  readonly [dispatched]: Dispatch;
}

// One accessor for all contexts. V8 makes the accessors of a literal again for every call and keeps their pairs in old
// space: all that the call references would stay with them until a full collection, copied by every small one.
const signal = {
  configurable: true,
  enumerable: true,
  get(this: Carrier): AbortSignal {
    return this[dispatched].signal;
  },
};
const idempotencyKey = {
  configurable: true,
  enumerable: true,
  get(this: Carrier): string {
    return this[dispatched].idempotency_key;
  },
};

/**
 * Makes the context of a call for an adapter. Signal and key are own members: a copy of the context has both, and code
 * that reads neither does not pay for them.
 */
export function contextOf(dispatch: Dispatch, log: Log): ExecuteContext {
  const { upstream } = dispatch;
  const own = upstream === undefined ? { log } : { log, upstream };
  const context = Object.defineProperty(own, dispatched, { value: dispatch });
  Object.defineProperty(context, 'signal', signal);
  return Object.defineProperty(context, 'idempotency_key', idempotencyKey) as unknown as ExecuteContext;
}
