import type { OtherStatement, Run, RunStatement } from '../../frame/wire.ts';

/** All states of a run, with what each means. */
export const runStates = {
  queued: 'Waiting in the queue. No provider was called yet.',
  held: 'Waiting until people have approved it. No provider was called yet.',
  running: 'In progress.',
  completed: 'The provider accepted the call.',
  failed: 'The action was not done.',
  timed_out: 'The time limit passed before a provider responded. It had no effect, or is safe to retry.',
  indeterminate:
    'The outcome is unknown: a provider was called, but its response did not arrive. The call is not retried until an operator resolves the run.',
  cancelled: 'It was cancelled before a provider was called.',
  denied: 'A policy denied it. No provider was called.',
} as const;

// What the status says already.
const said: Readonly<Record<string, string>> = { denied: 'access_denied', indeterminate: 'outcome_unknown' };

/** Says why a run ended so, when its status does not say it. */
export const reasonOf = ({ status, reason }: Run): string | undefined =>
  reason === said[status] ? undefined : reason?.replaceAll('_', ' ');

/** Says whether a run in a state has not ended yet. */
export const isOpenState = (status: string): boolean => ['queued', 'held', 'running'].includes(status);

/** Says whether a run has not ended yet. */
export const isOpen = ({ status }: Pick<Run, 'status'>): boolean => isOpenState(status);

/** Says when a run began, or was accepted. */
export const timeOf = ({ started_at, queued_at }: Run): string | undefined => started_at ?? queued_at;

/** Says whether a statement is about a run. */
export const isOfRun = (statement: RunStatement | OtherStatement): statement is RunStatement =>
  statement.predicateType === 'urn:agent-orb:run:v1';
