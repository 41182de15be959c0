import { once } from 'node:events';
import { PlatformError } from '../../../kernel/error.ts';
import { defineRoute, type Route } from '../../../kernel/http/route/route.ts';

const params = { type: 'object', required: ['id'], properties: { id: { type: 'string', maxLength: 100 } } } as const;

/** Stays open until its place is needed; the last part of the path is the kind. */
export const heldRoute: Route = defineRoute({
  method: 'GET',
  path: '/held/{id}',
  service: 'runtime',
  scope: 'orbs:read',
  summary: 'Answer when the place is needed',
  params,
  response: params,
  problems: [],
  handle: async ({ params: named, hold, disconnected }) => {
    const ended = hold({ name: named.id, most: 4, ...(named.id === 'wait' ? { brief: true } : {}) });
    if (ended === undefined) throw new PlatformError('rate_limited', 'too many');
    await Promise.race([ended, disconnected].map((signal) => once(signal, 'abort')));
    return named;
  },
});
