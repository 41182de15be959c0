import { definePlugin, defineRoute, operation } from 'agent-orb-kit';
import tallies from './store.ts';

/** Counts how runs ended, also over restarts and on several servers. */
export default definePlugin({
  name: 'tally',
  scopes: { 'tally:read': { title: 'Read how runs ended', installation: true } },
  store: tallies,
  start({ hooks, store }) {
    const reads = store.reads(tallies);
    hooks.runSettled.tap('tally', async ({ status }) => {
      await store.write([operation(tallies, 'count', status)]);
    });
    const route = defineRoute({
      method: 'GET',
      path: '/tally',
      service: 'runtime',
      scope: 'tally:read',
      summary: 'Count runs by status',
      response: { type: 'object', additionalProperties: { type: 'integer' } },
      // On PostgreSQL a read is a promise.
      handle: async () => Object.fromEntries((await reads.all()).map(({ status, runs }) => [status, runs])),
    });
    return { routes: [route] };
  },
});
