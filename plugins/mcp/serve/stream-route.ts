import {
  defineRoute,
  exactly,
  PlatformError,
  type Call,
  type Infer,
  type Principal,
  type Reply,
  type Route,
} from '../../../kernel/index.ts';
import type { McpScope } from '../scope.ts';
import { handshaken } from '../wire/wire.ts';
import { guarded, listOf, mcpForm } from './route.ts';

const params = exactly({ id: { type: 'string', maxLength: 64, description: 'Id of the Orbiset' } });

type Following = Call<Infer<typeof params>, unknown, unknown, Principal>;

/** Answers `GET /orbisets/{id}/mcp`: the notifications of the server, for clients of a revision with a handshake. */
export const streamRoute = (scope: McpScope): Route =>
  defineRoute({
    method: 'GET',
    path: '/orbisets/{id}/mcp',
    operationId: 'followMcp',
    service: 'runtime',
    scope: 'orbs:execute',
    narrowed: true,
    summary: 'Follow changes of the tools of an Orbiset (MCP before 2026-07-28)',
    params,
    reads: ['Last-Event-ID'],
    produces: 'text/event-stream',
    problems: ['orbiset_not_found'],
    problemForm: mcpForm(scope),
    handle: (call) => guarded(call, scope, undefined, () => follow(call, scope)),
  });

async function follow(call: Following, scope: McpScope): Promise<Reply> {
  const { headers, params, principal } = call;
  const version = handshaken.find((one) => one === headers['mcp-protocol-version']);
  // Clients of 2026-07-28 send `subscriptions/listen`; a client that names no revision takes 405 for "not offered".
  if (version === undefined)
    throw new PlatformError('method_not_allowed', `GET is for clients of ${handshaken.join(' or ')}; use POST`, {
      headers: { Allow: 'OPTIONS, POST' },
    });
  const { digest } = await listOf({ orbiset_id: params.id, principal }, scope);
  const last = headers['last-event-id'];
  const known = typeof last === 'string' && last !== '' ? last : digest;
  const watching = { orbiset_id: params.id, principal, info: call, digest: known };
  return scope.listeners.follow(watching, { primed: version === handshaken[0] });
}
