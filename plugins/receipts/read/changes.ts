import {
  defineRoute,
  holds,
  idOfCursor,
  nextOf,
  pageQuery,
  type Principal,
  type Route,
} from '../../../kernel/index.ts';
import { component, listOf, optional } from '../format/exactly.ts';
import type { Kinds } from '../kinds/kind.ts';
import { listedChange, type ChangeFilter } from '../log/rows/changes.ts';
import type { Serving } from './serving.ts';

const time = { type: 'string', format: 'date-time' } as const;

/** Answers `GET /receipts/changes`: who did what, as the log attests it. */
export const changesRoute = ({ kinds, lists }: Serving): Route =>
  defineRoute({
    method: 'GET',
    service: 'runtime',
    path: '/receipts/changes',
    operationId: 'listChanges',
    scope: 'receipts:read',
    summary: 'List attested changes, newest first: who did what',
    query: {
      type: 'object',
      additionalProperties: false,
      properties: {
        ...pageQuery,
        principal: { type: 'string', maxLength: 64, description: 'Only changes by this principal' },
        kind: { enum: [...kinds.keys()], description: 'Only changes of this kind' },
        from: { ...time, description: 'Only changes at or after this time' },
        to: { ...time, description: 'Only changes before this time' },
      },
    } as const,
    response: component('ChangeList', {
      changes: listOf('The changes, newest first', listedChange),
      next_cursor: optional({ type: 'string', description: 'Cursor of the next page; absent on the last page' }),
    }),
    async handle({ principal: caller, query: { cursor, ...filter } }) {
      const before = idOfCursor(cursor, 'rec_');
      const page = await lists.listChanges({ ...filter, ...visibleTo(caller, kinds), before });
      return { changes: page.items, ...nextOf(page) };
    },
  });

// As in the list of receipts: the tenant's, and the installation's own of the kinds that the caller has a scope for.
function visibleTo({ scopes, tenant }: Principal, kinds: Kinds): Pick<ChangeFilter, 'tenant' | 'ownKinds'> {
  if (holds(scopes, '*')) return {};
  const named = [...kinds].filter(([, kind]) => kind.scopes.some((scope) => holds(scopes, scope)));
  return { tenant, ownKinds: named.map(([name]) => name) };
}
