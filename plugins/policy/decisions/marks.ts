import { markMigration, Marks, slotOf, type MarkedTable } from '../../row-marks/contract.ts';
import type { WriteContext, WriterScope } from '../../../kernel/index.ts';

type Column = 'action' | 'orb_id' | 'principal' | 'revision';

/** The columns of decisions that have marks instead of an index, which would cost each run. */
export const markedDecisions: MarkedTable<Column> = {
  ...{ table: 'policy_decisions', id: 'decision_id', marks: 'policy_marks' },
  columns: ['action', 'orb_id', 'principal', 'revision'],
};

/** Marks the actions, Orbs, callers and revisions of decisions; they go with the decisions. */
export const decisionMarks = `${markMigration(markedDecisions)}
CREATE INDEX policy_marks_by_slot ON policy_marks (slot);
`;

/** A decision that needs marks. */
interface Made {
  readonly row: Readonly<Record<Column, string | null>>;
}

/** Decisions were deleted; the oldest that is kept. */
interface Pruned {
  readonly oldest: string;
}

/** Makes the writes of the marks: what is deferred is written before the commit, in `batches`. */
export function decisionMarkWrites(scope: Pick<WriterScope, 'connection' | 'node'>) {
  const marks = new Marks(markedDecisions, scope);
  const drop = scope.connection.prepare('DELETE FROM policy_marks WHERE slot < ?');
  return {
    /** Marks a decision, in its commit. */
    mark(row: Made['row'], write: WriteContext): void {
      if (marks.lacks(row)) write.defer({ row } satisfies Made);
    },
    /** Deletes the marks of decisions that are gone. */
    prune: (oldest: string, write: WriteContext): void => write.defer({ oldest } satisfies Pruned),
    batches: {
      beforeCommit(items: readonly object[]): void {
        // Only the two above defer.
        const all = items as readonly (Made | Pruned)[];
        for (const item of all) if ('row' in item) marks.add(item.row);
        for (const item of all) {
          if ('row' in item) continue;
          drop.queue(slotOf(item.oldest));
          marks.reset();
        }
      },
      reload: () => marks.reset(),
    },
  };
}
