import {
  definePlugin,
  every,
  exactly,
  given,
  grouped,
  optional,
  timestamp,
  type AwaitedReads,
  type Infer,
} from '../../kernel/index.ts';
import { approvalsPort, concernOf, runtime, type Concern } from '../runtime/contract.ts';
import { approvalCommands } from './commands.ts';
import { approvals, type ApprovalGroups } from './contract.ts';
import { Desk } from './desk.ts';
import { approvalFact } from './fact.ts';
import { problems } from './problems.ts';
import { approvalRoutes } from './routes.ts';
import approvalsStore, { type ApprovalReads } from './store.ts';

const members = {
  type: 'array',
  minItems: 1,
  maxItems: 1000,
  uniqueItems: true,
  items: { type: 'string', pattern: '^prn_[0-9A-HJKMNP-TV-Z]{26}$', examples: ['prn_01M8FAMKDW8EACJ6XYYH95MPC3'] },
} as const;

const group = {
  anyOf: [
    { ...members, description: 'The ids of the principals' },
    exactly({
      members: { ...members, description: 'The ids of the principals' },
      links: optional({
        type: 'boolean',
        description:
          'Whether a link in a message may decide, without signing in; no such links are made yet. Default: no',
      }),
    }),
  ],
} as const;

const config = exactly({
  groups: optional({
    type: 'object',
    description: 'Groups of people who may approve runs, by name; a policy names one in its `ask`',
    maxProperties: 1000,
    propertyNames: { pattern: '^[a-z][a-z0-9-]{0,31}$' },
    additionalProperties: group,
  }),
  open_per_group: optional({
    type: 'integer',
    minimum: 1,
    maximum: 10_000,
    default: 50,
    description: 'Maximum number of runs that wait for one group',
  }),
});

function groupsOf({ groups = {} }: Infer<typeof config>): ApprovalGroups {
  return new Map(
    Object.entries(groups).map(([name, given]) => {
      const { members: people, links = false } = Array.isArray(given) ? { members: given as readonly string[] } : given;
      return [name, { members: people, links }];
    }),
  );
}

const sweepMs = 1000;

// What waits for people, for the overview of the console and the API.
function openApprovals(lists: Pick<AwaitedReads<ApprovalReads>, 'list'>): Concern {
  return {
    name: 'open_approvals',
    scope: 'runs:approve',
    link: '/approvals?state=open',
    async find(tenant) {
      const filter = { groups: undefined, tenant, state: 'open', before: undefined, limit: 101 } as const;
      const { items, next } = await lists.list(filter);
      return concernOf(
        items.map(({ approval_id, orb_id, created_at }) => ({
          ...{ id: approval_id, title: orb_id, reason: 'people must approve the run', at: timestamp(created_at) },
          link: `/approvals/${approval_id}`,
        })),
        given({ next }),
      );
    },
  };
}

/** Lets people decide on runs that a policy asks them about. */
export default definePlugin({
  name: 'approvals',
  ids: ['apr'],
  config,
  problems,
  facts: [approvalFact],
  scopes: { 'runs:approve': { title: 'See and decide the held runs that ask a group of the caller' } },
  requires: { runtime },
  provides: { approvals, approvals_port: approvalsPort },
  commands: grouped(
    [{ name: 'approvals', task: 'operate', summary: 'list and decide runs that wait for people' }],
    approvalCommands,
  ),
  keeps: [{ what: 'approvals', tables: ['approvals_approvals', 'approvals_decisions'], advice: 'They are kept.' }],
  store: approvalsStore,
  start(scope) {
    const { config: settings, hooks, log, metrics, services, store } = scope;
    const reads = store.reads(approvalsStore);
    const groups = groupsOf(settings);
    const open_per_group = settings.open_per_group ?? 50;
    const parts = { ...scope, reads, runtime: services.runtime, groups, most: open_per_group };
    const desk = new Desk(parts);
    let stop: () => void = () => undefined;
    // One node ends what nobody decided.
    const begin = (): void => {
      stop = every(
        sweepMs,
        () => desk.sweep(),
        (err) => log.warn({ err }, 'the server could not end approvals whose time is over; it tries again'),
      );
    };
    const lists = store.awaitedReads(approvalsStore);
    metrics.gauge('orb_open_approvals', 'Runs that wait until people have approved them', () => reads.open());
    services.runtime.concern(openApprovals(lists));
    hooks.ready.tap('approvals', () => store.peers.whenHeld('approvals', begin).begun);
    return {
      services: { approvals: { groups: () => groups, open_per_group }, approvals_port: desk },
      routes: approvalRoutes({ ...parts, desk, lists }),
      stop: () => stop(),
    };
  },
});
