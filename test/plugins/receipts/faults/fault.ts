/** How the disk of the writer fails, as the store of these tests reads it from `fault.json` in the state dir. */
export interface Fault {
  /** Part of the statement that fails. */
  readonly statement: string;
  readonly code: 'SQLITE_IOERR_WRITE' | 'SQLITE_FULL';
  /** It takes effect before it fails. */
  readonly persisted: boolean;
  /** How often still. */
  readonly left: number;
}
