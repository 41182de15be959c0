import type { Exactly, Infer } from '../../../kernel/index.ts';
import type { RunStatement } from '../format/run-statement.ts';
import type { head } from '../format/schema-parts.ts';

/** The predicate of any kind but the run: the common head, the time, and the facts. */
export type OtherPredicate = Infer<Exactly<typeof head>> & {
  readonly tenant?: string;
  /** RFC 3339 UTC, three decimals. */
  readonly at: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
};

/** The statement of any kind but the run. */
export type OtherStatement = Omit<RunStatement, 'predicateType' | 'predicate'> & {
  readonly predicateType: string;
  readonly predicate: OtherPredicate;
};
