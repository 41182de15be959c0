import type { CommandCall } from '../command.ts';

/** One thing that was looked at. */
export interface Finding {
  readonly name: string;
  readonly state: 'ok' | 'warning' | 'fault' | 'skipped';
  readonly detail: string;
  /** What to do about it. */
  readonly remedy?: string;
}

/** Looks at some things; never throws. */
export type Examination = (call: CommandCall) => readonly Finding[] | Promise<readonly Finding[]>;

/** Says that something is as it should be. */
export function fine(name: string, detail: string): Finding {
  return { name, state: 'ok', detail };
}
