import {
  defineRoute,
  exactly,
  holds,
  optional,
  PlatformError,
  refuseHeld,
  reply,
  type HeldKind,
  type Principal,
  type Reply,
  type Route,
} from '../../../kernel/index.ts';
import { within, type Prefix } from '../fact/prefix.ts';
import { entryLines, factLines } from '../replay/export-lines.ts';
import { scoringDocument, scoringPolicy, scoringText } from '../score/model.ts';
import { logSizeOf } from '../shapes.ts';
import { ledgerExport } from './schemas.ts';
import type { RouteScope } from './scope.ts';

/** Exports of lines: each reads the log for as long as its caller takes. */
export const lineExports: HeldKind = { name: 'export', most: 4, cut: true };

const ndjson = 'application/x-ndjson';
const exported = { method: 'GET', service: 'ledger', scope: 'reputation:export' } as const;

/** Makes the routes that serve everything needed to recompute every score, and the route of the scoring document. */
export function exportRoutes(scope: RouteScope): readonly Route[] {
  return [contentsRoute(scope), linesRoute(scope, 'facts'), linesRoute(scope, 'entries'), scoringRoute()];
}

const contentsRoute = ({ log, reads, profile }: RouteScope): Route =>
  defineRoute({
    ...exported,
    path: '/ledger/export',
    operationId: 'exportLedger',
    summary: 'Start an export: checkpoints, snapshots, scoring document; read the lines from /facts and /entries',
    response: ledgerExport,
    async handle({ principal }) {
      requireAll(principal);
      const { heads, snapshots } = await together(log, reads);
      return {
        logs: heads.map(logSizeOf),
        checkpoints: heads.map(({ checkpoint }) => checkpoint),
        profile,
        scoring_policy: scoringPolicy,
        scoring: scoringDocument,
        snapshots,
      };
    },
  });

// The writer may commit a snapshot between the two reads: then both are read again.
async function together(log: RouteScope['log'], reads: RouteScope['reads']) {
  for (;;) {
    const snapshots = await allSnapshots(reads);
    const heads = await log.heads();
    if ((await reads.lastSnapshot())?.day === snapshots.at(-1)?.day) return { heads, snapshots };
  }
}

async function allSnapshots(reads: RouteScope['reads']) {
  const all = [];
  for (let day = ''; ;) {
    const page = await reads.snapshotsAfter(day, 500);
    all.push(...page.map(({ recomputed: _, ...ref }) => ref));
    day = page.at(-1)?.day ?? day;
    if (page.length < 500) return all;
  }
}

const linesRoute = ({ log }: RouteScope, kind: 'facts' | 'entries'): Route =>
  defineRoute({
    ...exported,
    path: `/ledger/export/${kind}`,
    operationId: kind === 'facts' ? 'exportLedgerFacts' : 'exportLedgerEntries',
    summary:
      kind === 'facts'
        ? 'Export the facts that the ledger reads from each log entry, one per line'
        : 'Export each log entry with its envelope, one per line',
    query: exactly({
      sizes: optional({
        type: 'string',
        pattern: '^\\d{1,15}(,\\d{1,15})*$',
        examples: ['120,45'],
        maxLength: 4000,
        description: 'sizes of the shards in order, from /ledger/export; default: now',
      }),
    }),
    produces: ndjson,
    async handle({ hold, principal, query }): Promise<Reply> {
      requireAll(principal);
      const prefix = prefixOf(await log.heads(), query.sizes);
      if (hold(lineExports) === undefined) refuseHeld(lineExports);
      const stream = kind === 'facts' ? factLines(log, prefix) : entryLines(log, prefix);
      return reply({ type: ndjson, stream });
    },
  });

function prefixOf(heads: Prefix, sizes: string | undefined): Prefix {
  if (sizes === undefined) return heads;
  const wanted = sizes.split(',').map(Number);
  const prefix = heads.slice(0, wanted.length).map(({ origin }, at) => ({ origin, tree_size: wanted[at] ?? 0 }));
  const inside = prefix.every(
    ({ origin, tree_size }) => tree_size === 0 || within({ origin, index: tree_size - 1 }, heads),
  );
  if (wanted.length <= heads.length && inside) return prefix;
  throw new PlatformError(
    'invalid_parameter',
    'the log is smaller than these sizes; read the current sizes from /ledger/export',
  );
}

function requireAll({ scopes }: Principal): void {
  if (holds(scopes, '*')) return;
  throw new PlatformError(
    'insufficient_scope',
    'the whole ledger needs a key with `*`; GET /reputation/{orb_id}/evidence?format=ndjson exports one of your Orbs',
  );
}

const scoringRoute = (): Route =>
  defineRoute({
    method: 'GET',
    service: 'ledger',
    public: true,
    path: '/scoring/orb-score/1',
    navigation: {
      name: 'How scores are computed',
      position: 10,
      foot: 'Scores are computed from signed receipts; anyone can compute them again.',
    },
    operationId: 'getScoringDocument',
    summary: 'Read the scoring document in canonical form: its SHA-256 is the digest in every snapshot',
    produces: 'application/json',
    sends: { ETag: true },
    handle: (): Reply =>
      reply({
        headers: {
          'Cache-Control': 'public, max-age=86400',
          'Access-Control-Allow-Origin': '*',
          ETag: `"${scoringPolicy.digest}"`,
        },
        type: 'application/json',
        body: scoringText,
      }),
  });
