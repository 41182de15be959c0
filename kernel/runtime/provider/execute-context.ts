import type { Log } from '../../tools/log.ts';
import type { Dispatch } from '../outcome/outcome.ts';
import type { ExecuteContext } from './adapter.ts';

const dispatched = Symbol('dispatch');

interface Carrier {
  readonly [dispatched]: Dispatch;
}

// The same for all contexts. Accessors of a literal are made anew for every call, and V8 keeps the pairs that hold them in
// old space: all that the call refers to would stay with them until a full collection, copied by every small one.
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
 * Makes what an adapter is given beside the inputs. Signal and key are own members: whoever copies the context gets both,
 * and whoever reads neither does not pay for them.
 */
export function contextOf(dispatch: Dispatch, log: Log): ExecuteContext {
  const context = Object.defineProperty({ log }, dispatched, { value: dispatch });
  Object.defineProperty(context, 'signal', signal);
  return Object.defineProperty(context, 'idempotency_key', idempotencyKey) as unknown as ExecuteContext;
}
