import type { Binding } from '../provider/binding.ts';
import type { Bindings } from '../provider/bindings.ts';
import { providerStatus, statusOf } from '../provider/status.ts';
import { pageOf, pageQuery, defineRoute, type Route, exactly, optional } from '../../../kernel/index.ts';
import { textOfCursor } from '../../../kernel/runner.ts';

const text = { type: 'string', maxLength: 200 } as const;

interface Matrix {
  readonly bindings: Bindings;
  readonly isListed: (orbId: string) => boolean;
}

/** Answers `GET /providers`: each Orb with the providers of its order, and how they are. */
export const matrixRoute = ({ bindings, isListed }: Matrix): Route =>
  defineRoute({
    method: 'GET',
    path: '/providers',
    operationId: 'listProviders',
    service: 'runtime',
    scope: 'providers:read',
    summary: 'Show which providers serve which Orbs, and their health',
    query: {
      type: 'object',
      properties: { ...pageQuery, provider: { ...text, description: 'Only Orbs with this provider in their order' } },
    },
    response: exactly('ProviderMatrix', {
      orbs: { type: 'array', description: 'By id', items: providerStatus },
      next_cursor: optional({ type: 'string', description: 'Cursor of the next page; absent on the last' }),
    }),
    handle: ({ query: { limit, cursor, provider } }) => {
      const after = textOfCursor(cursor, /^[a-z0-9._@+-]+$/i) ?? '';
      const rows = [...bindings.all()].filter(
        (one) => one.orb.orb_id > after && has(one, provider) && isListed(one.orb.orb_id),
      );
      const sorted = rows.sort((a, b) => (a.orb.orb_id < b.orb.orb_id ? -1 : 1));
      const { items, ...next } = pageOf(sorted.slice(0, limit + 1), limit, ({ orb }) => orb.orb_id);
      return { orbs: items.map(rowOf), ...next };
    },
  });

const has = ({ order }: Binding, name: string | undefined): boolean =>
  name === undefined || order.some(({ provider }) => provider.name === name);

function rowOf(binding: Binding): object {
  const { last_swap: _, ...status } = statusOf(binding);
  return status;
}
