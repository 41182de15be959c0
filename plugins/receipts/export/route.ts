import { defineRoute, holds, reply, type JsonSchema, type Reply, type Route } from '../../../kernel/index.ts';
import type { KeySet } from '../format/jwk.ts';
import { logKeys, type LogRouteReads } from '../read/log-routes.ts';
import { exportFiles, type ExportScope } from './content.ts';
import type { ExportFilter, ExportReads } from './rows.ts';
import { tar } from './tar.ts';

/** What the export needs. */
export interface ExportRouteScope {
  readonly reads: ExportReads & LogRouteReads;
  readonly facts: ExportScope['facts'];
  readonly keys: () => KeySet;
  readonly installation: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

const query = {
  type: 'object',
  additionalProperties: false,
  properties: {
    orbiset: { type: 'string', maxLength: 64, description: 'Only of this Orbiset' },
    orb: { type: 'string', maxLength: 200, description: '`<namespace>.<name>@<version>`' },
    status: { type: 'string', maxLength: 32, description: 'Only of runs that ended so' },
    from: { type: 'string', format: 'date-time', description: 'not before this time' },
    to: { type: 'string', format: 'date-time', description: 'before this time' },
    tiles: { type: 'boolean', description: 'the tiles and entries of the logs go along; default: without a filter' },
  },
} as const satisfies JsonSchema;

/** Makes the route that exports receipts as a tar archive, part by part. */
export const exportRoute = ({ facts, installation, keys, now, reads }: ExportRouteScope): Route =>
  defineRoute({
    method: 'GET',
    path: '/receipts/export',
    operationId: 'exportReceipts',
    service: 'runtime',
    scope: 'receipts:read',
    summary:
      'Export receipts with their proofs and keys, to be verified elsewhere with other tools (tar; HOWTO.md inside)',
    query,
    produces: 'application/x-tar',
    sends: { 'Content-Disposition': true },
    problems: [],
    handle({ principal, query: asked }): Reply {
      const { orb, orbiset, status } = asked;
      const filter: ExportFilter = {
        ...(holds(principal.scopes, '*') ? {} : { tenant: principal.tenant }),
        ...(orbiset === undefined ? {} : { orbiset_id: orbiset }),
        ...(orb === undefined ? {} : { orb_id: orb }),
        ...(status === undefined ? {} : { status }),
        ...(asked.from === undefined ? {} : { from: new Date(asked.from).toISOString() }),
        ...(asked.to === undefined ? {} : { to: new Date(asked.to).toISOString() }),
      };
      const time = now();
      const filtered = Object.keys(filter).some((name) => name !== 'tenant');
      const files = exportFiles({
        ...{ reads, facts, keys: keys(), logKeys: logKeys(reads), installation, filter },
        tiles: asked.tiles ?? !filtered,
        at: new Date(time).toISOString(),
      });
      return reply({
        type: 'application/x-tar',
        headers: { 'Content-Disposition': 'attachment; filename="receipts.tar"' },
        stream: tar(files, Math.floor(time / 1000)),
      });
    },
  });
