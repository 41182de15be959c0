import { eventWrites, isRecorded, type Recorded } from './events.ts';
import { countWrites, type Sample } from './counts.ts';
import { markedRuns } from './run-pages.ts';
import { Marks } from '../../row-marks/contract.ts';
import type { RunRow } from '../facts/facts.ts';
import type { WriteContext, WriterScope } from '../../../kernel/index.ts';

interface MarkedRun {
  readonly marked: RunRow;
}

/** Makes the writes of counts and events: both are gathered, and written once per batch, so that runs of one Orb add to one row. */
export function gatheredWrites(scope: WriterScope) {
  const { count, ...counts } = countWrites(scope);
  const { record, series, ...events } = eventWrites(scope);
  const marks = new Marks(markedRuns, scope);
  return {
    /** Marks the values of a run, in its commit. */
    mark(run: RunRow, write: WriteContext): void {
      if (marks.lacks(run)) write.defer({ marked: run } satisfies MarkedRun);
    },
    operations: {
      /** Counts what a plugin gives, in the commit of its own rows. */
      count({ samples }: { readonly samples: readonly Sample[] }, write: WriteContext): void {
        for (const sample of samples) write.defer(sample);
      },
      /** Records an event, in the commit of the change that it announces. */
      recordEvent(event: Recorded, write: WriteContext): void {
        write.defer(event);
      },
      ...counts,
      ...events,
    },
    writing: {
      open: (write: Pick<WriteContext, 'guard'>) => series.open(write),
      beforeCommit(items: readonly object[]): void {
        const samples: Sample[] = [];
        const told: Recorded[] = [];
        for (const item of items as readonly (Sample | Recorded | MarkedRun)[])
          if ('marked' in item) marks.add(item.marked);
          else if (isRecorded(item)) told.push(item);
          else samples.push(item);
        count(samples);
        if (told.length > 0) record(told);
      },
      committed: () => series.committed(),
      reload() {
        marks.reset();
        return series.read();
      },
    },
  };
}
