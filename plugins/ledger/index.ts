import { definePlugin, exactly, optional, grouped, integer } from '../../kernel/index.ts';
import { certificateSigner, transparencyLog } from '../receipts/contract.ts';
import { badgeRoutes } from './badge/routes.ts';
import { openCallerRef } from './reputation/caller.ts';
import { certificates } from './certificate/certificates.ts';
import { exportLedger } from './commands/export.ts';
import { replayLedger } from './commands/replay.ts';
import { getCertificate, showReputation } from './commands/show.ts';
import { verifyCommand } from './certificate/commands/verify.ts';
import { reputation, standingFact } from './contract.ts';
import { certificateRegister } from './certificate/format/report.ts';
import { openDesk } from './open.ts';
import { evidenceRoute } from './routes/evidence.ts';
import { exportRoutes } from './routes/export.ts';
import { reputationRoutes } from './routes/reputation.ts';
import { suspendRoutes } from './routes/suspend.ts';
import { maySee, type Sight } from './routes/visible.ts';
import ledgerStore from './store.ts';
import { problems } from './problems.ts';
import { standing, runtime } from '../runtime/contract.ts';

const config = exactly({
  profile: optional({
    enum: ['single-org', 'multi-tenant'],
    default: 'single-org',
    description: 'What counts as one caller: `single-org`: each principal; `multi-tenant`: each tenant',
  }),
  certificate_days: optional(
    integer(1, 90, 30, 'Validity of certificates in days; they are renewed before they expire'),
  ),
  missed_days_until: optional({
    type: 'string',
    format: 'date',
    description:
      'After more than 180 days without a snapshot, no snapshot is taken, because the clock may be wrong. If the clock is ' +
      'right, set this to the last day that may get a snapshot, `YYYY-MM-DD`',
  }),
  badge_max_age_s: optional(integer(0, 86_400, 300, 'How long caches may keep a badge; 0: not at all')),
});

/** Projects the log into reputation: scores, tiers, daily snapshots; anyone who replays the log gets the same bits. */
export default definePlugin({
  name: 'ledger',
  ids: ['crt'],
  facts: [standingFact],
  config,
  requires: { transparencyLog, certificateSigner, runtime },
  provides: { reputation, standing, certificateRegister },
  problems,
  scopes: {
    'reputation:suspend': { title: 'Suspend Orbs and lift the suspension', installation: true },
    'reputation:export': { title: "Export the ledger of the tenant's Orbs; of all with `*`" },
  },
  commands: grouped(
    [
      { name: 'reputation', task: 'verify', summary: 'show the reputation of Orbs' },
      { name: 'ledger', task: 'verify', summary: 'export and replay the ledger' },
      { name: 'certificate', task: 'verify', summary: 'fetch and verify certificates' },
    ],
    [showReputation, replayLedger, exportLedger, getCertificate, verifyCommand],
  ),
  keeps: [
    { what: 'minutes of Orbs', tables: ['ledger_minutes'], advice: 'Kept for 180 days: a score looks back so far.' },
    {
      what: 'days and snapshots of the ledger',
      tables: ['ledger_caller_days', 'ledger_days', 'ledger_events', 'ledger_snapshots', 'ledger_snapshot_orbs'],
      advice: 'Kept for ever.',
    },
  ],
  store: ledgerStore,
  async start(scope) {
    const { services } = scope;
    const { runtime: runs } = services;
    const log = services.transparencyLog;
    const callerRef = await openCallerRef(scope.store);
    const opened = await openDesk({ ...scope, runtime: runs, transparencyLog: log, callerRef });
    const { desk, ledger, service, signatures } = opened;
    await signatures.open();
    scope.health(() => ledger.health());
    // Runs need the standing of their Orb: all that the log says of it is read before anything is served.
    scope.hooks.ready.tap('ledger', () => ledger.begin());
    const sight: Sight = { ...service, catalog: runs.catalog, isNamed: (orbId) => opened.isNamed(orbId) };
    const audience = { maySee: (orbId: string, caller: object) => maySee(sight, orbId, caller) };
    const certified = certificates(scope, {
      ...audience,
      reputation: service,
      signer: services.certificateSigner,
      head: async () => (await log.heads()).at(-1),
      days: scope.config.certificate_days ?? 30,
      onAppend: (listener) => log.onAppend(listener),
    });
    const badges = badgeRoutes({
      ...audience,
      reputation: service,
      certificates: certified.service,
      maxAge: scope.config.badge_max_age_s ?? 300,
    });
    const routeScope = { ...scope, ...opened, runtime: runs, log, sight };
    return {
      services: { reputation: service, standing: desk.standing.bind(desk), certificateRegister: certified.service },
      routes: [
        ...reputationRoutes(routeScope),
        evidenceRoute(routeScope),
        ...suspendRoutes(routeScope),
        ...exportRoutes(routeScope),
        ...certified.routes,
        ...badges,
      ],
      async stop() {
        // Stop both at the same time: certificates may be waiting for the ledger to reach the end of the log.
        await Promise.all([certified.stop(), ledger.stop()]);
      },
    };
  },
});
