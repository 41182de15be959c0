import {
  expectTag,
  mappedRow,
  queriesOf,
  rowReader,
  rowWriter,
  type Condition,
  type Connection,
  type WriteConnection,
  type WriteContext,
} from '../../../kernel/index.ts';
import { draft as draftSchema, type Draft } from '../shapes.ts';
import { etagOf } from './revision.ts';

/** A draft that a revision contains. */
export type TakenDraft = Pick<Draft, 'id' | 'source' | 'tests'>;

interface PutDraft {
  readonly condition: Condition;
  readonly draft: Draft;
  readonly renamed: readonly Draft[];
}

const draftColumns = ['id', 'source', 'tests', 'message', 'updated_at', 'updated_by'] as const;
const selectDrafts = `SELECT ${draftColumns.join(', ')} FROM policy_drafts`;

/** Makes the operations that write drafts. */
export function writingDrafts(connection: WriteConnection) {
  const dropDraft = connection.prepare('DELETE FROM policy_drafts WHERE id = ?');
  const findDraft = connection.prepare(`${selectDrafts} WHERE id = ?`);
  const insert = rowWriter(connection, 'policy_drafts', draftColumns);
  // A draft that has changed since stays.
  const dropSame = connection.prepare(
    'DELETE FROM policy_drafts WHERE id = ? AND source = ? AND tests IS NOT DISTINCT FROM ?',
  );
  const dropTaken = (drafts: readonly TakenDraft[]): void => {
    for (const { id, source, tests } of drafts) dropSame.queue(id, source, tests ?? null);
  };
  return {
    dropTaken,
    dropDraft: async ({ id }: { readonly id: string }): Promise<boolean> => (await dropDraft.run(id)) > 0,
    /**
     * Writes a draft; returns false when it replaced one. Throws 412 when that one is not the expected draft.
     * `renamed`: the same draft under its earlier ids, which are deleted.
     */
    async putDraft({ condition, draft, renamed }: PutDraft, write: WriteContext): Promise<boolean> {
      // Of two concurrent callers one is refused.
      write.guard('drafts');
      const before = mappedRow(await findDraft.get(draft.id), draftOf);
      expectTag(condition, before && etagOf(before));
      dropDraft.queue(draft.id);
      insert(draft);
      dropTaken(renamed);
      return before === undefined;
    },
  };
}

/** Makes the reads of drafts. */
export function readingDrafts(connection: Connection) {
  const { find, list } = queriesOf(connection);
  return {
    drafts: list<Draft, []>(`${selectDrafts} ORDER BY id`, draftOf),
    draft: find(`${selectDrafts} WHERE id = ?`, draftOf),
  };
}

const draftOf = rowReader<Draft>({ properties: { id: { type: 'string' }, ...draftSchema.properties } });
