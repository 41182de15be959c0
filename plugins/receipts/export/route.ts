import { defineRoute, holds, refuseHeld, reply, type HeldKind, type Reply, type Route } from '../../../kernel/index.ts';
import { exactly, optional } from '../format/exactly.ts';
import { logKeys } from '../read/log-routes.ts';
import { exportFiles } from './content.ts';
import { filterOf, filterQuery, type ReceiptFilter } from '../log/rows/filter.ts';
import type { Serving } from '../read/serving.ts';
import { tar } from '../format/tar.ts';

const exports: HeldKind = { name: 'export', most: 4, cut: true };

/** Makes the route that exports receipts as a tar archive, part by part. */
export const exportRoute = ({ clock, facts, keys, lists, reads, store: { installation } }: Serving): Route =>
  defineRoute({
    method: 'GET',
    path: '/receipts/export',
    operationId: 'exportReceipts',
    service: 'runtime',
    scope: 'receipts:read',
    summary: 'Export receipts with proofs and keys, for verification with other tools (a tar file with a HOWTO.md)',
    query: exactly({
      ...filterQuery,
      tiles: optional({
        type: 'boolean',
        description: 'Include the tiles and entries of the logs. Default: yes, if there is no filter',
      }),
    }),
    produces: 'application/x-tar',
    sends: { 'Content-Disposition': true },
    async handle({ principal, query: asked, hold }): Promise<Reply> {
      if (hold(exports) === undefined) refuseHeld(exports);
      const { scopes, tenant } = principal;
      const filter: ReceiptFilter = { ...(holds(scopes, '*') ? {} : { tenant }), ...filterOf(asked) };
      const time = clock.now();
      const filtered = Object.keys(filter).some((name) => name !== 'tenant');
      const files = exportFiles({
        ...{ reads, lists, facts, keys: keys.published, logKeys: await logKeys(reads), installation, filter },
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
