import { defineEvent, definePlugin, defineRoute, operation, timestamp } from 'agent-orb-kit';
import { reputation } from 'agent-orb-kit/plugins/ledger';
import { runSettled } from 'agent-orb-kit/plugins/runtime';
import { apiCommand, listing } from 'agent-orb-kit/plugins/terminal';
import { watchFact } from './fact.ts';
import { problems } from './problems.ts';
import store, { type Watch } from './store.ts';

/** Somebody began to watch an Orb. */
export const orbWatched = defineEvent<Pick<Watch, 'watch_id' | 'orb_id'>>('orbWatched');

const orbId = { type: 'string', maxLength: 200 } as const;
const answer = { type: 'object', description: 'Watches', additionalProperties: true, properties: {} } as const;
const common = { service: 'ledger', response: answer } as const;

/** Counts the runs of the Orbs that somebody watches. */
export default definePlugin({
  name: 'watches',
  ids: ['wat'],
  hooks: [orbWatched],
  problems,
  uses: { reputation },
  scopes: { 'watches:read': { title: 'See watches' }, 'watches:write': { title: 'Watch Orbs' } },
  commands: [
    apiCommand<{ readonly watches: readonly Watch[] }>({
      path: 'watches list',
      summary: 'list the Orbs that somebody watches',
      route: 'GET /watches',
      show: ({ watches }) =>
        listing(
          ['orb', 'runs'],
          watches.map(({ orb_id, run_count }) => [orb_id, String(run_count)]),
        ),
    }),
  ],
  facts: [watchFact],
  store,
  start({ store: open, platform, clock, hooks, calls, ids, services }) {
    const reads = open.reads(store);
    let told = 0;
    hooks.of(orbWatched).tap('watches', ({ watch_id }) => {
      if (watch_id.startsWith('wat_')) told += 1;
    });
    hooks.of(runSettled).tap('watches', async ({ orb_id }) => {
      await open.write([operation(store, 'count', orb_id)]);
    });
    return {
      routes: [
        defineRoute({
          ...common,
          method: 'GET',
          path: '/watches',
          scope: 'watches:read',
          summary: 'List watches',
          problems: [],
          handle: async () => ({
            watches: await reads.all(),
            told_count: told,
            scored: services.reputation !== undefined,
          }),
        }),
        defineRoute({
          ...common,
          method: 'POST',
          path: '/watches',
          scope: 'watches:write',
          summary: 'Watch an Orb',
          body: { type: 'object', additionalProperties: false, required: ['orb_id'], properties: { orb_id: orbId } },
          problems: [],
          async handle({ body: { orb_id } }) {
            const watch_id = ids('wat');
            const { receipt_id } = await platform.attest({
              fact: { kind: 'watch', at: timestamp(clock.now()), watch_id, facts: { orb_id } },
              operations: () => [operation(store, 'add', { watch_id, orb_id })],
            });
            calls.tell(orbWatched, { watch_id, orb_id });
            return { watch_id, receipt_id };
          },
        }),
        defineRoute({
          ...common,
          method: 'DELETE',
          path: '/watches/{orb_id}',
          scope: 'watches:write',
          summary: 'Watch an Orb no longer',
          params: { type: 'object', required: ['orb_id'], properties: { orb_id: orbId } },
          problems: [problems.watch_not_found],
          async handle({ params: { orb_id } }) {
            await open.write([operation(store, 'remove', orb_id)]);
            return {};
          },
        }),
      ],
    };
  },
});
