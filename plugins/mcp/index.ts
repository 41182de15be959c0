import { definePlugin, exactly, optional, type Principal, grouped, integer } from '../../kernel/index.ts';
import { listings } from '../marketplace/contract.ts';
import { receiptDocuments, transparencyLog, type TransparencyLog } from '../receipts/contract.ts';
import { configRoute, metadataRoute, toolsRoute } from './clients/routes.ts';
import { mcpCommands } from './commands.ts';
import { importRoute } from './import/route.ts';
import { preflightRoute } from './serve/cors.ts';
import { mcpRoute, streamRoute } from './serve/route.ts';
import type { McpScope } from './scope.ts';
import { examineTools } from './tools/examine.ts';
import { Listeners } from './tools/listeners.ts';
import { ToolLists } from './tools/tool-lists.ts';
import { standing, runtime, revocations } from '../runtime/contract.ts';

const texts = { type: 'array', maxItems: 100, items: { type: 'string', maxLength: 300 } } as const;

const config = exactly({
  allowed_origins: optional({
    ...texts,
    description: 'Origins of web pages that may call, in addition to ORB_PUBLIC_URL: `https://agent.example`',
  }),
  allowed_hosts: optional({
    ...texts,
    description: 'Host names for calls to a loopback listener, in addition to localhost and ORB_PUBLIC_URL',
  }),
  task_after_ms: optional(
    integer(0, 55_000, 5000, 'Time after which an open call answers with a task, if its client declares the extension'),
  ),
  answer_within_ms: optional(
    integer(
      100,
      600_000,
      55_000,
      'Time after which an open call answers that it is still running; most clients give up after 60 s',
    ),
  ),
});

/** Serves each Orbiset as a server of the Model Context Protocol: its Orbs are the tools. */
export default definePlugin({
  name: 'mcp',
  config,
  requires: { runtime },
  uses: { listings, receiptDocuments, revocations, standing, transparencyLog },
  commands: grouped([{ name: 'mcp', task: 'run', summary: 'connect AI agents and MCP servers' }], mcpCommands),
  examinations: [examineTools],
  start(given) {
    const { platform, services, clock, log, metrics, publicUrl, version, config: settings } = given;
    const tierOf = (orbId: string, { id, tenant }: Principal): string =>
      services.standing?.(orbId, id, tenant).tier ?? 'none';
    const lists = new ToolLists({ runtime: services.runtime, listings: services.listings, tierOf, clock, log });
    const listeners = new Listeners({ lists, log, revocations: services.revocations });
    metrics.collect('orb_mcp_listeners', 'Clients that listen for changes of their tools', 'gauge', () => [
      { labels: {}, value: listeners.size },
    ]);
    const scope: McpScope = {
      ...{ platform, runtime: services.runtime, lists, listeners, publicUrl, version, log },
      underWay: new Map(),
      taskAfterMs: settings.task_after_ms ?? 5000,
      answerWithinMs: settings.answer_within_ms ?? 55_000,
      allowedOrigins: new Set(settings.allowed_origins),
      allowedHosts: new Set(settings.allowed_hosts?.map((host) => host.toLowerCase())),
      receipts: services.receiptDocuments,
      envelopeOf: (receiptId) => envelopeOf(services.transparencyLog, receiptId),
    };
    const stop = (): void => {
      listeners.close();
      lists.close();
    };
    const clients = [configRoute(scope), toolsRoute(scope), metadataRoute(scope)];
    return {
      routes: [mcpRoute(scope), streamRoute(scope), preflightRoute(scope), ...clients, importRoute(services.runtime)],
      stop,
    };
  },
});

async function envelopeOf(log: TransparencyLog | undefined, receiptId: string): Promise<object | undefined> {
  const position = await log?.position(receiptId);
  const entry = position === undefined ? undefined : await log?.entryAt(position);
  return entry?.receipt_id === receiptId ? entry.envelope : undefined;
}
