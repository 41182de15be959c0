import type { Completed, Outcome } from './surface.ts';

/** An error of the program that calls, or an outcome that `orThrow` threw. */
export class OrbError extends Error {
  readonly code: string;
  readonly outcome?: Exclude<Outcome, Completed>;

  constructor(
    code: string,
    message: string,
    { cause, outcome }: { readonly cause?: unknown; readonly outcome?: Exclude<Outcome, Completed> } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'OrbError';
    this.code = code;
    if (outcome !== undefined) this.outcome = outcome;
  }
}
