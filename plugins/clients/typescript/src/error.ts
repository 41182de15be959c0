import type { Completed, Outcome } from './surface.ts';

/** An error of the program that calls, or an outcome that `orThrow` threw. */
export class OrbError extends Error {
  override readonly name = 'OrbError';
  readonly code: string;
  readonly outcome?: Exclude<Outcome, Completed>;

  constructor(code: string, message: string, more: { readonly cause?: unknown } & Pick<OrbError, 'outcome'> = {}) {
    super(message, more);
    this.code = code;
    if (more.outcome !== undefined) this.outcome = more.outcome;
  }
}
