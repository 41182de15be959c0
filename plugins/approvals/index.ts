import { definePlugin, every, grouped } from '../../kernel/index.ts';
import { approvalsPort, runtime } from '../runtime/contract.ts';
import { approvalCommands } from './commands.ts';
import { principals } from '../api-keys/contract.ts';
import { pages } from '../pages/contract.ts';
import { approvals, type Approvals } from './contract.ts';
import { Desk } from './desk.ts';
import { approvalFact } from './fact.ts';
import { approvalsBetween } from './history.ts';
import { failedNotices, openApprovals } from './concerns.ts';
import { config, groupsOf } from './groups.ts';
import { Links } from './links.ts';
import { examineNotices } from './notice/examination.ts';
import { Notices } from './notice/notices.ts';
import { pageRoutes } from './page/routes.ts';
import { problems } from './problems.ts';
import { approvalRoutes } from './routes.ts';
import approvalsStore from './store.ts';

const sweepMs = 1000;

/** Lets people decide on runs that a policy asks them about. */
export default definePlugin({
  name: 'approvals',
  ids: ['apr', 'ntc'],
  config,
  problems,
  facts: [approvalFact],
  scopes: { 'runs:approve': { title: 'See and decide the held runs that ask a group of the caller' } },
  requires: { runtime },
  uses: { pages, principals },
  provides: { approvals, approvals_port: approvalsPort },
  commands: grouped(
    [{ name: 'approvals', task: 'operate', summary: 'list and decide runs that wait for people' }],
    approvalCommands,
  ),
  keeps: [
    {
      what: 'approvals, their links and notices',
      tables: ['approvals_approvals', 'approvals_decisions', 'approvals_links', 'approvals_notices'],
      advice: 'They are kept.',
    },
  ],
  examinations: [examineNotices],
  store: approvalsStore,
  start(scope) {
    const { config: settings, hooks, log, metrics, publicUrl, services, store, wholeUrl } = scope;
    const reads = store.reads(approvalsStore);
    const groups = groupsOf(settings);
    const open_per_group = settings.open_per_group ?? 50;
    const { pages: site, principals: people } = services;
    // Without pages, an approval is shown to programs alone.
    const addressOf = (id: string): string => `${publicUrl}/approvals/${id}${site === undefined ? '' : '/page'}`;
    const parts = { ...scope, reads, runtime: services.runtime, groups, addressOf, most: open_per_group };
    const desk = new Desk(parts);
    const links = new Links({ ...parts, desk, principals: people, url: site && publicUrl });
    const told = metrics.counter('orb_approval_notices_total', 'Notices to approvers, by what became of them', [
      'outcome',
    ]);
    const count = (outcome: string): void => told.inc({ outcome });
    const notices = new Notices({ ...parts, desk, links, principals: people, runtime: services.runtime, count });
    const nameOf = async (id: string): Promise<string | undefined> => (await people?.find(id))?.name;
    let stop: () => void = () => undefined;
    // One node ends what nobody decided.
    const begin = (): void => {
      stop = every(
        sweepMs,
        () => Promise.all([desk.sweep(), notices.sweep()]),
        (err) => log.warn({ err }, 'the server could not end approvals whose time is over; it tries again'),
      );
    };
    const lists = store.awaitedReads(approvalsStore);
    const between: Approvals['between'] = (from, to, tenant) =>
      approvalsBetween(lists, desk, [Date.parse(from), Date.parse(to)], tenant);
    metrics.gauge('orb_open_approvals', 'Runs that wait until people have approved them', () => reads.open());
    services.runtime.concern(openApprovals(lists));
    services.runtime.concern(failedNotices(lists));
    hooks.ready.tap('approvals', () => store.peers.whenHeld('approvals', begin).begun);
    return {
      services: { approvals: { groups: () => groups, open_per_group, between }, approvals_port: desk },
      routes: [
        ...approvalRoutes({ ...parts, desk, lists }),
        ...(site === undefined
          ? []
          : pageRoutes({ ...parts, desk, links, pages: site, console: wholeUrl && `${wholeUrl}/console`, nameOf })),
      ],
      stop: () => stop(),
    };
  },
});
