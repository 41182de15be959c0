import { PlatformError } from '../error.ts';

/** Callers stop waiting for work, because the database does not answer. The work continues and may complete later. */
export class GaveUp extends PlatformError {
  readonly late: Promise<unknown>;

  constructor(late: Promise<unknown>) {
    super('storage_unavailable', 'the database does not answer now; try again', { retry_after: 1 });
    this.late = late;
  }
}

/** Bounds how long callers wait for work that writes, while a database is away that work itself waits for. */
export interface BoundedWaits {
  /** Waits for work. Rejects with GaveUp when it has waited for seconds and the database is away. */
  wait<T>(work: Promise<T>): Promise<T>;
}
