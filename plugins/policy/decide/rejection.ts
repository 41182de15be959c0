import { PlatformError } from '../../../kernel/index.ts';
import type { Diagnostic } from '../contract.ts';
import { faultOf } from '../folder/gate.ts';

/** A folder that is not served, and why. */
export interface Rejected {
  readonly digest: string;
  readonly at: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** Makes the diagnostic of a folder that was changed while another node activated a revision. */
export function basedOnAnother(active: string, base: string | undefined): Diagnostic {
  const what =
    base === undefined
      ? `${active} is active, but this folder contains other policies`
      : `another node activated ${active}; this folder is based on ${base}`;
  return faultOf('based_on_another', `${what}; its policies are not active`, undefined, waysTogether);
}

const waysTogether =
  'orb policy activate --folder activates this folder on all nodes; orb policy activate <active revision> --overwrite replaces it';

/** Says whether another node activated a revision first. */
export function wasBeaten(error: unknown): boolean {
  return error instanceof PlatformError && error.code === 'precondition_failed';
}

/** Says whether a check only ran out of time, so that another one may pass. */
export function outOfTime(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(({ code }) => ['check_timeout', 'policy_timeout', 'policy_overloaded'].includes(code));
}

/** Writes a diagnostic as a line for the log. */
export function toldOf({ file, line, column, code, message }: Diagnostic): string {
  const at = file === undefined ? '' : `${file}:${line ?? 0}:${column ?? 0}: `;
  return `${at}${code}: ${message.slice(0, 300)}`;
}
