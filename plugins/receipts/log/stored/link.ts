import type { EntryRow } from '../rows/entry-reads.ts';
import { parseStrict, isRecord } from '../../format/strict-json.ts';
import { readCheckpoint, type Checkpoint } from '../pure/note.ts';

/** The checkpoint of one log that an entry of another holds, and what the entry says of it. */
export interface Link {
  readonly change: unknown;
  readonly checkpoint: Checkpoint;
}

type Entry = Pick<EntryRow, 'kind' | 'statement'>;
type Members = Readonly<Record<string, unknown>>;

/** Reads the checkpoint that an entry holds of another log; undefined: it holds none. */
export function linkOf(row: Entry): Link | undefined {
  const facts = predicateIn(row)?.facts;
  if (facts === undefined || typeof facts['previous_checkpoint'] !== 'string') return undefined;
  const checkpoint = readCheckpoint(facts['previous_checkpoint'])?.checkpoint;
  return checkpoint === undefined ? undefined : { change: facts['change'], checkpoint };
}

/** Reads the predicate of an entry about a key; undefined: it is about something else. */
export function predicateIn({ kind, statement }: Entry): (Members & { readonly facts: Members }) | undefined {
  const parsed = kind === 'key' ? parseStrict(statement) : undefined;
  const predicate = isRecord(parsed) ? parsed['predicate'] : undefined;
  const facts = isRecord(predicate) ? predicate['facts'] : undefined;
  return isRecord(predicate) && isRecord(facts) ? { ...predicate, facts } : undefined;
}
