import type { KeyRow } from './store.ts';
import { PlatformError } from '../../../kernel/index.ts';
import type { ProblemExtensions } from '../../../kernel/runner.ts';

/** Another taker has the key of a piece of work, which must not begin. `row`: the key as it is stored. */
export class KeyLost extends PlatformError {
  readonly row: KeyRow;

  constructor(row: KeyRow) {
    super('idempotency_in_progress', firstRunning, runOf(row.subject));
    this.row = row;
  }
}

const firstRunning = 'the first request with this Idempotency-Key is still running; send it again later';

/** Makes the problem of a key whose work goes on. */
export function inProgress(subject: string): PlatformError {
  return new PlatformError('idempotency_in_progress', firstRunning, runOf(subject));
}

function runOf(subject: string): ProblemExtensions {
  return { retry_after: 1, ...(subject.startsWith('run_') ? { run_id: subject } : {}) };
}
