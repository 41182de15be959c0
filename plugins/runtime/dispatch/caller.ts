import { because, type Ending } from '../outcome/outcome.ts';
import type { Slot } from '../provider/binding.ts';
import type { AttemptTimer, Deadline } from './attempt.ts';
import type { Run } from './run-record.ts';
import { unlessAborted } from '../../../kernel/adapter.ts';
import type { Dispatch, Outcome } from '../../../kernel/runner.ts';

type Part = Readonly<Record<string, unknown>>;

/** The caller of one run that streams, or that may go: what it has got, and whether it is there. */
export class RunCaller {
  readonly #run: Pick<Run, 'gone' | 'orb' | 'run_id' | 'stream'>;
  readonly #deadline: Deadline;
  /** A call was under way when the caller went. */
  #cut = false;
  /** It took no part any more. */
  #left = false;
  #pinned = false;
  /** The last count of what the answer used, until it is whole. */
  partial: Part | undefined;

  constructor(run: Pick<Run, 'gone' | 'orb' | 'run_id' | 'stream'>, deadline: Deadline) {
    this.#run = run;
    this.#deadline = deadline;
  }

  /** Whether the caller has a part of the answer: no other provider may begin another one. */
  get pinned(): boolean {
    return this.#pinned;
  }

  /** Whether nothing more is to be sent, because the caller has gone. */
  get gone(): boolean {
    return this.#left || this.#run.gone?.aborted === true;
  }

  /** Options of a pause that ends when the caller goes. */
  get waiting(): { readonly signal: AbortSignal } | undefined {
    const { gone } = this.#run;
    return gone && { signal: gone };
  }

  /** Cuts a call short when its caller goes, until the returned function is called. */
  watch(slot: Slot, timer: AttemptTimer): (() => void) | undefined {
    const { gone } = this.#run;
    if (gone === undefined) return undefined;
    const leave = (): void => this.#leave(slot, timer);
    gone.addEventListener('abort', leave, { once: true });
    return () => gone.removeEventListener('abort', leave);
  }

  /** Makes what a call gives its parts to; undefined: its caller wants none. */
  emitOf(slot: Slot, timer: AttemptTimer): Dispatch['emit'] {
    const { run_id, stream } = this.#run;
    if (stream === undefined) return undefined;
    const { name } = slot.provider;
    let until: AbortSignal | undefined;
    return async (part) => {
      if (timer.over !== undefined || timer.ended) throw over();
      if (part['type'] === 'usage') this.partial = part;
      if (!this.#pinned) {
        this.#pinned = true;
        timer.extend(this.#deadline.remaining());
        stream.started?.({ run_id, provider: name });
      }
      // Of a provider that drains: nobody reads it.
      if (this.gone) return;
      try {
        const taken = stream.emit(part);
        if (taken !== undefined) await unlessAborted((until ??= this.#until(timer)), taken, over);
      } catch {
        if (timer.over === undefined && !this.gone) {
          this.#left = true;
          this.#leave(slot, timer);
        }
        if (timer.over !== undefined) throw over();
      }
    };
  }

  /** Reads the answer of a call: after a part, a provider can no longer say that it took nothing. */
  heard(outcome: Outcome): Outcome {
    if (outcome.outcome === 'accepted') this.partial = undefined;
    if (!this.#pinned || kept.has(outcome.outcome) || !('message' in outcome)) return outcome;
    const { message, phase = 'stream', remedy } = outcome;
    return { outcome: 'unknown', phase, message, ...(remedy === undefined ? {} : { remedy }) };
  }

  /** Makes the end of a run from the one that its attempts give it. */
  endingOf(ending: Ending): Ending {
    const { code, detail, outcome, status } = ending;
    const unsent = status === 'failed' && outcome === 'not_sent';
    if (this.gone && (unsent || (this.#harmless && (status !== 'completed' || this.#cut)))) return goneEnding;
    if (!this.#pinned || code === 'invalid_outputs') return ending;
    if (status === 'timed_out') return { ...ending, detail: 'the deadline passed before the answer was whole' };
    if (status !== 'failed') return ending;
    const why = detail === undefined ? '' : `: ${detail}`;
    return { status, outcome, ...because('stream_interrupted', `the answer ended after a part of it${why}`) };
  }

  // An effect that has begun is finished without its caller.
  get #harmless(): boolean {
    return this.#run.orb.manifest.effect === 'none';
  }

  #leave({ provider: { adapter, config } }: Slot, timer: AttemptTimer): void {
    this.#cut = true;
    // The configuration was validated against this adapter's own schema, whose type the loader erased.
    if (this.#harmless && adapter.drainsOf?.(config as never) !== true) timer.end('caller_gone');
  }

  // A caller that has gone takes nothing: its call must not wait for it.
  #until({ signal }: AttemptTimer): AbortSignal {
    const { gone } = this.#run;
    return gone === undefined ? signal : AbortSignal.any([signal, gone]);
  }
}

const kept: ReadonlySet<Outcome['outcome']> = new Set(['accepted', 'invalid_outputs', 'unknown']);

const over = (): Error => new Error('the call has ended; no part of it is taken any more');

const goneEnding: Ending = Object.freeze({
  ...{ status: 'cancelled', outcome: 'cancelled' },
  ...because('caller_gone', 'the caller disconnected before the answer was whole'),
});
