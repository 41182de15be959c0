import { defineRoute, reply, type RequestInfo, type Route } from '../../../kernel/index.ts';
import type { McpScope } from '../scope.ts';
import { orbisetParams } from '../../runtime/contract.ts';

const asked =
  'Authorization, Content-Type, Accept, Idempotency-Key, MCP-Protocol-Version, Mcp-Method, Mcp-Name, ' +
  'Last-Event-ID, traceparent, X-Request-Id';
const shown = ['Retry-After', 'WWW-Authenticate', 'X-Request-Id', 'X-Should-Retry', 'traceparent'].join(', ');

/** Makes the headers by which a browser lets a page of another allowed origin read an answer (CORS). */
export function corsHeaders(
  { headers: { origin } }: Pick<RequestInfo, 'headers'>,
  { allowedOrigins }: Pick<McpScope, 'allowedOrigins'>,
): Readonly<Record<string, string>> | undefined {
  if (typeof origin !== 'string' || !allowedOrigins.has(origin)) return undefined;
  return { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': shown, Vary: 'Origin' };
}

/** Answers the question of a browser before a page of another origin may call. */
export const preflightRoute = (scope: McpScope): Route =>
  defineRoute({
    method: 'OPTIONS',
    path: '/orbisets/{id}/mcp',
    operationId: 'askMcpOrigin',
    service: 'runtime',
    public: true,
    summary: 'CORS preflight: say whether a page of another origin may call',
    params: orbisetParams,
    status: 200,
    sends: {
      Allow: true,
      'Access-Control-Allow-Origin': { description: 'The origin, if `allowed_origins` names it' },
      'Access-Control-Allow-Methods': { description: 'GET, POST' },
      'Access-Control-Allow-Headers': { description: 'Headers that the page may send' },
    },
    handle: (call) => {
      const allowed = corsHeaders(call, scope);
      const more = {
        'Access-Control-Allow-Methods': 'GET, POST',
        'Access-Control-Allow-Headers': asked,
        'Access-Control-Max-Age': '600',
      };
      return reply({
        headers: { Allow: 'GET, OPTIONS, POST', ...(allowed === undefined ? {} : { ...allowed, ...more }) },
      });
    },
  });
