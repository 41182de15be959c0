import { defineRoute, given, reply, type Reply, type Route } from '../../../kernel/index.ts';
import { exactly, optional, component, listOf } from '../format/exactly.ts';
import { encodeBase64 } from '../format/base64.ts';
import type { LogOwner, LogRow, StoredCheckpoint } from '../log/stored/tables.ts';
import type { ServedReads } from '../store.ts';

const most = 100;

/** Schema of one shard of the log. */
const logShard = exactly('LogShard', {
  shard: { type: 'string', description: 'Name of the shard in URLs' },
  origin: { type: 'string', description: 'Name of the log' },
  node: optional({ type: 'string', description: 'The last node that wrote to it' }),
  size: { type: 'integer', description: 'Number of entries' },
  root: { type: 'string', description: 'Root of the tree, base64' },
  status: { enum: ['active', 'frozen'], description: '`frozen`: no entries are added any more' },
  checkpoint: optional({ type: 'string', description: 'C2SP signed note' }),
  successor: optional({ type: 'string', description: 'Name of the log that continues it' }),
});

/** Makes the route that lists the shards of the log: what an auditor of the whole log has to read. */
export const shardsRoute = (reads: Pick<ServedReads, 'keyState' | 'notedLogs'>): Route =>
  defineRoute({
    service: 'runtime',
    method: 'GET',
    public: true,
    bucket: { name: 'log', per_second: 1000 },
    path: '/log/shards',
    operationId: 'listLogShards',
    summary: 'List the shards of the log, oldest first; several may be growing',
    query: exactly({
      after: optional({ type: 'string', maxLength: 32, description: '`next` of the previous page' }),
    }),
    response: component('LogShards', {
      shards: listOf(`The shards, at most ${most}`, logShard),
      next: optional({ type: 'string', description: 'Cursor of the next page; absent on the last page' }),
    }),
    async handle({ query: { after } }): Promise<Reply> {
      const logs = await reads.notedLogs();
      const rest = after === undefined ? logs : logs.slice(logs.findIndex(({ row }) => row.shard === after) + 1);
      const page = rest.slice(0, most);
      const last = page.at(-1);
      const next = rest.length > most && last !== undefined ? { next: last.row.shard } : {};
      const headers = { 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'no-cache' };
      return reply({ headers, body: { shards: page.map(shownBy(logs, (await reads.keyState()).owners)), ...next } });
    },
  });

interface NotedLog {
  readonly row: LogRow;
  readonly newest: StoredCheckpoint | undefined;
}

function shownBy(logs: readonly NotedLog[], all: readonly LogOwner[]): (log: NotedLog) => object {
  const owners = new Map(all.map((owner) => [owner.log, owner]));
  const successors = new Map([...owners.values()].map(({ follows, log }) => [follows, log]));
  const origins = new Map(logs.map(({ row: { log, origin } }) => [log, origin]));
  return ({ row: { log, origin, root, shard, size, status }, newest }) => {
    const node = owners.get(log)?.node;
    const successor = origins.get(successors.get(origin) ?? 0);
    const checkpoint = newest?.note;
    const shown = { shard, origin, size, root: encodeBase64(root), status };
    return { ...shown, ...given({ node: node ?? undefined, checkpoint, successor }) };
  };
}
