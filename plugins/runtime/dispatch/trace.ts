import type { TracedCall, TracedCalls, TracingPort } from '../facts/tracing.ts';
import type { Run } from './run-record.ts';
import type { Clock } from '../../../kernel/index.ts';
import { traceContext } from '../../../kernel/outbound.ts';

/** Notes the calls of one dispatch, for a trace. */
export class RunTrace implements TracedCalls {
  readonly #run: Pick<Run, 'begun' | 'run_id' | 'traceparent'>;
  readonly #clock: Clock;
  readonly #port: TracingPort;
  readonly decided: number;
  readonly calls: (TracedCall | undefined)[] = [];

  constructor(run: Pick<Run, 'begun' | 'run_id' | 'traceparent'>, clock: Clock, port: TracingPort) {
    this.#run = run;
    this.#clock = clock;
    this.#port = port;
    this.decided = this.#now;
  }

  get #now(): number {
    return this.#clock.monotonic() - this.#run.begun;
  }

  /** Begins the call of an attempt; returns the traceparent that it carries, if it does. */
  begin(place: number): string | undefined {
    const traceparent = this.#port.callOf(this.#run);
    this.calls[place] = { traceparent, at: this.#now };
    return this.#port.propagates ? traceparent : undefined;
  }
}

/** Makes a call whose requests carry a traceparent, if there is one. */
export function carrying<T>(traceparent: string | undefined, call: () => T): T {
  return traceparent === undefined ? call() : traceContext.run(traceparent, call);
}
