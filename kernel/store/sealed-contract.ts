/** Sealed values of one table that a start opens. */
export interface SealedRows {
  readonly table: string;
  readonly purpose: string;
  /** What one of them is, for the operator: `signing key`. */
  readonly what: string;
  /** A query that lists them: `sealed`, `name` where there are several, and what `read` needs. */
  readonly rows: string;
  /** Throws when the start could not use the opened value of a row. */
  read?(plain: Uint8Array, row: Readonly<Record<string, unknown>>): void;
}
