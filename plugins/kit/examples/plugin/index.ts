import { definePlugin, defineRoute } from 'agent-orb-kit';

/** Counts how runs ended since the start. */
export default definePlugin({
  name: 'tally',
  scopes: { 'tally:read': { title: 'Read how runs ended', installation: true } },
  start({ hooks }) {
    const counts: Record<string, number> = {};
    hooks.runSettled.tap('tally', ({ status }) => {
      counts[status] = (counts[status] ?? 0) + 1;
    });
    const route = defineRoute({
      method: 'GET',
      path: '/tally',
      service: 'runtime',
      scope: 'tally:read',
      summary: 'Count runs by status since the start',
      response: { type: 'object', additionalProperties: { type: 'integer' } },
      handle: () => counts,
    });
    return { routes: [route] };
  },
});
