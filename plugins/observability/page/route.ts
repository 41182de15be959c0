import { defineRoute, type Route } from '../../../kernel/index.ts';
import type { StatusScope } from '../routes/status.ts';
import { windowDays } from '../status/uptime.ts';
import { statusPage } from './page.ts';

/** Makes `/status.html`. */
export function statusPageRoute({ board, history, publicUrl }: StatusScope): Route {
  return defineRoute({
    method: 'GET',
    path: '/status.html',
    operationId: 'showStatusPage',
    service: 'shared',
    public: true,
    produces: 'text/html',
    problems: [],
    summary: 'Read how the platform is (a page)',
    anyQuery: true,
    query: { type: 'object', properties: {} } as const,
    handle: () => statusPage(board.snapshot(), history.of(windowDays), publicUrl),
  });
}
