import {
  given,
  queriesOf,
  timesBetween,
  type Answered,
  type Connection,
  type Page,
  type PageFilter,
  type Row,
} from '../../../../kernel/index.ts';
import { described, exactly, optional } from '../../format/exactly.ts';
import type { OtherPredicate } from '../../kinds/predicate.ts';
import { payloadOf, predicateOf } from './stored-receipt.ts';

const text = (description: string) => ({ type: 'string', description }) as const;

/** Schema of one attested change. */
export const listedChange = exactly({
  receipt_id: text('Id of the receipt that attests it'),
  timestamp: text('When it happened'),
  kind: text('Kind of what was changed'),
  change: text('What was done: a word of the kind'),
  principal: optional(text('Who did it; absent: the server')),
  subject: optional(text('Name or id of what was changed')),
  orb_id: optional(text('The Orb that it is about')),
  reason: optional(text('Why, in the words of who did it')),
  log: described('Its position in the log', {
    origin: text('Name of the log'),
    index: { type: 'integer', description: 'Position in the log, from 0' },
  }),
});

/** One attested change: who did what. */
export type ListedChange = Answered<typeof listedChange>;

/** Which changes are listed; absent members do not filter. */
export interface ChangeFilter {
  /** With `ownKinds`, what the installation attested of itself, of these kinds, is listed too; absent: all. */
  readonly tenant?: string | undefined;
  readonly ownKinds?: readonly string[];
  readonly kind?: string | undefined;
  readonly principal?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Only those below this id. */
  readonly before?: string | undefined;
  readonly limit: number;
}

const columns = ['receipt_id', 'kind', 'orb_id', 'timestamp', 'origin', 'idx', 'payload'];
const shape = '(SELECT s.text FROM receipts_shapes AS s WHERE s.shape = receipts_receipts.shape) AS shape_text';
// Who did it is in the statement, so that a page with a filter may read many of them.
const mostReads = 10;
const readAtOnce = 200;

/** Prepares the list of what was attested except runs. `subjectsOf`: the members that name what a kind is about. */
export function changeReads(connection: Connection) {
  const newest = queriesOf(connection).pages<ListedChange>({
    ...{ select: [...columns, shape].join(', '), table: 'receipts_receipts', id: 'receipt_id', read: changeOf },
  });
  return {
    /** Lists changes, newest first. With a filter by principal a page may be empty although the list goes on. */
    listChanges({ before, kind, limit, ownKinds, principal, tenant, ...times }: ChangeFilter): Page<ListedChange> {
      const ofKind = { where: "kind = ? AND kind <> 'run'", values: kind };
      const any = { where: "kind <> 'run'", values: [] };
      const query = {
        indexed: [kind === undefined ? any : ofKind],
        tried: [...timesBetween('rec', 'timestamp', times).tried, ...visible(tenant, ownKinds)],
      };
      const items: ListedChange[] = [];
      let next = before;
      for (let reads = 0; reads < mostReads; reads += 1) {
        const page = newest({ ...query, before: next, limit: principal === undefined ? limit : readAtOnce });
        items.push(...page.items.filter((one) => principal === undefined || one.principal === principal));
        if (items.length > limit) break;
        if (page.next === undefined) return { items };
        next = page.next;
        if (items.length === limit) break;
      }
      const shown = items.slice(0, limit);
      return { items: shown, ...given({ next: items.length > limit ? shown.at(-1)?.receipt_id : next }) };
    },
  };
}

function visible(tenant: string | undefined, ownKinds: readonly string[] = []): readonly PageFilter[] {
  if (tenant === undefined) return [];
  const places = ownKinds.map(() => '?').join(', ');
  const own = ownKinds.length === 0 ? '' : ` OR (tenant IS NULL AND kind IN (${places}))`;
  return [{ where: `(tenant = ?${own})`, values: [tenant, ...ownKinds] }];
}

// The members that say what was done, by the kinds that have them.
const words = ['change', 'decision', 'outcome', 'state'] as const;

function changeOf({ payload, shape_text, receipt_id, kind, orb_id, timestamp, origin, idx }: Row): ListedChange {
  const stored = payloadOf({ payload: payload ?? null, shape_text: shape_text ?? null });
  const predicate: Partial<OtherPredicate> = predicateOf<OtherPredicate>(stored) ?? {};
  const facts = predicate.facts ?? {};
  const known = (name: string): string | undefined => textOf(facts[name]);
  return {
    ...{ receipt_id: String(receipt_id), timestamp: String(timestamp), kind: String(kind) },
    change: wordOf(String(kind), words.map(known).find((word) => word !== undefined) ?? 'recorded'),
    ...given({ principal: known('principal'), subject: subjectOf(predicate), reason: known('reason') }),
    ...given({ orb_id: textOf(orb_id) ?? textOf(predicate['orb_id']) }),
    log: { origin: String(origin), index: Number(idx) },
  };
}

// A swap is attested when the new provider serves; then the old one still drains.
const wordOf = (kind: string, word: string): string => (kind === 'swap' && word !== 'failed' ? 'completed' : word);

// The predicate of a kind has, next to its head, the id or the name of its subject.
const subjects = ['provider', 'namespace', 'orb_id', 'run_id', 'incident_id', 'approval_id', 'kid', 'day'] as const;

function subjectOf(predicate: Partial<OtherPredicate>): string | undefined {
  const all = { ...predicate.facts, ...predicate };
  return subjects.map((name) => textOf(all[name])).find((one) => one !== undefined);
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
