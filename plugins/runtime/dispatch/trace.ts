import type { TracedCall, TracedCalls, TracingPort } from '../facts/tracing.ts';
import type { Decided } from './run-record.ts';
import type { Clock } from '../../../kernel/index.ts';
import { traceContext } from '../../../kernel/outbound.ts';

type TracedBegin = Pick<Decided, 'begun' | 'mode' | 'run_id' | 'traceparent'>;

/** Notes the calls of one dispatch, for a trace. */
export class RunTrace implements TracedCalls {
  readonly #run: TracedBegin;
  readonly #clock: Clock;
  readonly #port: TracingPort;
  readonly decided: number;
  readonly calls: (TracedCall | undefined)[] = [];

  constructor(run: TracedBegin, clock: Clock, port: TracingPort) {
    this.#run = run;
    this.#clock = clock;
    this.#port = port;
    this.decided = this.#now;
  }

  get #now(): number {
    return this.#clock.monotonic() - this.#run.begun;
  }

  /** Begins the call of an attempt; returns it if its requests carry its traceparent. */
  begin(place: number): TracedCall | undefined {
    const call = new Call(this.#run, this.#now, this.#port);
    this.calls[place] = call;
    // In a sandbox nothing leaves the machine.
    return this.#port.propagates && this.#run.mode === 'live' ? call : undefined;
  }
}

// Most calls send no request of their own, or their trace is not exported: nobody reads the traceparent.
class Call implements TracedCall {
  readonly #run: Parameters<TracingPort['callOf']>[0];
  readonly #port: TracingPort;
  #traceparent: string | undefined;
  readonly at: number;

  constructor(run: Parameters<TracingPort['callOf']>[0], at: number, port: TracingPort) {
    this.#run = run;
    this.#port = port;
    this.at = at;
  }

  get traceparent(): string {
    return (this.#traceparent ??= this.#port.callOf(this.#run));
  }
}

/** Makes a call whose requests carry a traceparent, if there is one. */
export function carrying<T>(traced: TracedCall | undefined, call: () => T): T {
  return traced === undefined ? call() : traceContext.run(traced, call);
}
