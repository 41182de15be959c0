import { defineRoute, type Route } from '../../../kernel/http/route/route.ts';

/** A route with a number in its path. */
export const pageRoute: Route = defineRoute({
  method: 'GET',
  path: '/pages/{n}',
  service: 'ledger',
  public: true,
  summary: 'Read a page by its number',
  params: { type: 'object', required: ['n'], properties: { n: { type: 'integer', minimum: 1 } } },
  response: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } },
  problems: [],
  handle: ({ params }) => params,
});
