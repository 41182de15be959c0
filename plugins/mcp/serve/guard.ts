import type { RequestInfo } from '../../../kernel/index.ts';
import type { McpScope } from '../scope.ts';
import { RpcFault } from '../wire/wire.ts';

const ownNames = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Refuses what a page of another site makes a browser send: a foreign Origin, or, at a loopback listener, a Host that is
 * not ours (DNS rebinding). Throws an RpcFault, 403.
 */
export function refuseForeign({ headers, loopback }: RequestInfo, scope: Pick<McpScope, Guarding>): void {
  const { origin, host } = headers;
  // At a loopback listener a page of the same origin is one of this machine; its Host is looked at below.
  const same = loopback && [`http://${String(host)}`, `https://${String(host)}`].includes(String(origin));
  if (origin !== undefined && !same && !isOwnOrigin(String(origin), scope))
    throw new RpcFault(403, 403, 'the Origin is not allowed; operators: name it in plugins.mcp.config.allowed_origins');
  if (loopback && !isOwnHost(String(host ?? ''), scope))
    throw new RpcFault(
      403,
      403,
      'the Host is not one of this server; operators: set ORB_PUBLIC_URL, or name it in plugins.mcp.config.allowed_hosts',
    );
}

type Guarding = 'publicUrl' | 'allowedOrigins' | 'allowedHosts';

function isOwnOrigin(origin: string, { publicUrl, allowedOrigins }: Pick<McpScope, Guarding>): boolean {
  return origin === new URL(publicUrl).origin || allowedOrigins.has(origin);
}

function isOwnHost(host: string, { publicUrl, allowedHosts }: Pick<McpScope, Guarding>): boolean {
  const given = host.toLowerCase();
  const name = given.replace(/:\d*$/, '');
  return ownNames.has(name) || given === new URL(publicUrl).host || allowedHosts.has(name) || allowedHosts.has(given);
}

/** Refuses a client that takes no JSON. Throws an RpcFault, 406. */
export function refuseUnreadable({ headers }: Pick<RequestInfo, 'headers'>): void {
  const { accept } = headers;
  if (accept === undefined || accept.includes('*/*') || accept.includes('application/json')) return;
  if (/(^|,)\s*application\/\*/.test(String(accept))) return;
  throw new RpcFault(406, 406, 'answers are JSON; send Accept: application/json, text/event-stream');
}
