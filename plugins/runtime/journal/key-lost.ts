import { firstRunning, runOf } from './in-progress.ts';
import type { KeyRow } from './store.ts';
import { PlatformError } from '../../../kernel/index.ts';

/** Another taker has the key of a piece of work, which must not begin. `row`: the key as it is stored. */
export class KeyLost extends PlatformError {
  readonly row: KeyRow;

  constructor(row: KeyRow) {
    super('idempotency_in_progress', firstRunning, runOf(row.subject));
    this.row = row;
  }
}
