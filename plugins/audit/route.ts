import {
  defineRoute,
  exactly,
  given,
  holds,
  optional,
  PlatformError,
  refuseHeld,
  reply,
  timestamp,
  type Clock,
  type HeldKind,
  type Principal,
  type Reply,
  type Route,
} from '../../kernel/index.ts';
import { tar } from '../receipts/contract.ts';
import { bundleFiles } from './bundle.ts';
import type { Sources } from './parts.ts';

const bundles: HeldKind = { name: 'audit_export', most: 2, cut: true };
const time = { type: 'string', format: 'date-time' } as const;

/** What the route works with. */
export interface RouteScope extends Sources {
  readonly clock: Clock;
  readonly installation: string;
}

/** Makes the route that exports the evidence of a time as a tar archive, part by part. */
export const exportRoute = ({ clock, installation, ...sources }: RouteScope): Route =>
  defineRoute({
    method: 'GET',
    path: '/audit/export',
    operationId: 'exportEvidence',
    service: 'runtime',
    scope: 'audit:export',
    summary:
      'Export the evidence of a time: receipts, decisions, policies and more, in one signed archive (a tar file)',
    query: exactly({
      from: { ...time, description: 'From this time on' },
      to: optional({ ...time, description: 'Before this time. Default: now' }),
      tenant: optional({
        type: 'string',
        maxLength: 64,
        description: 'Only this tenant. Default: the tenant of the key, or all for a key with the scope `*`',
      }),
    }),
    produces: 'application/x-tar',
    sends: { 'Content-Disposition': true },
    problems: ['insufficient_scope', 'invalid_parameter'],
    handle({ principal, query, hold }): Reply {
      const now = clock.now();
      const [from, to] = [Date.parse(query.from), Math.min(now, Date.parse(query.to ?? timestamp(now)))];
      if (from >= to) throw new PlatformError('invalid_parameter', 'from must be before to, and before now');
      const tenant = tenantOf(principal, query.tenant);
      if (hold(bundles) === undefined) refuseHeld(bundles);
      const asked = { from: timestamp(from), to: timestamp(to), scopes: principal.scopes, ...given({ tenant }) };
      const files = bundleFiles({ ...sources, installation, asked, at: timestamp(now) });
      const name = `evidence-${asked.from.slice(0, 10)}-${asked.to.slice(0, 10)}.tar`;
      return reply({
        type: 'application/x-tar',
        headers: { 'Content-Disposition': `attachment; filename="${name}"` },
        stream: tar(files, Math.floor(now / 1000)),
      });
    },
  });

function tenantOf({ scopes, tenant }: Principal, asked: string | undefined): string | undefined {
  if (holds(scopes, '*')) return asked;
  if (asked === undefined || asked === tenant) return tenant;
  throw new PlatformError('insufficient_scope', `the key is of the tenant ${tenant}; leave tenant out`);
}
