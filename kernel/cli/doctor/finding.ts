import type { CommandCall } from '../command.ts';

/** The result for one thing that was examined. */
export interface Finding {
  readonly name: string;
  readonly state: 'ok' | 'warning' | 'fault' | 'skipped';
  readonly detail: string;
  /** What to do about it. */
  readonly remedy?: string;
}

/** Examines some things. One that throws shows as a fault; what cannot be asked, such as a server, is `skipped`. */
export type Examination = (call: CommandCall) => readonly Finding[] | Promise<readonly Finding[]>;

/** Makes the finding of a thing that is in order. */
export function fine(name: string, detail: string): Finding {
  return { name, state: 'ok', detail };
}
