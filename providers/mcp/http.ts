import {
  connectionSettings,
  defineProvider,
  exactly,
  optional,
  ProviderError,
  type Infer,
  type Log,
} from '../../kernel/adapter.ts';
import { isLoopbackHost, systemResolve } from '../../kernel/outbound.ts';
import { hostAndPort } from '../vendor/connection/remedy.ts';
import { mcp } from './contract.ts';
import { connect } from './wire/client.ts';
import { noteTried } from './wire/failure.ts';
import { guardedFetch, type GuardedFetch } from './wire/fetch.ts';
import { openServer } from './wire/handle.ts';
import { UpstreamServer } from './wire/server.ts';
import { peerIdempotency, serverSettings } from './wire/settings.ts';

const ownHeaders = [
  ...['accept', 'accept-encoding', 'connection', 'content-length', 'content-type', 'host', 'idempotency-key'],
  ...['last-event-id', 'mcp-method', 'mcp-name', 'mcp-protocol-version', 'mcp-session-id', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'user-agent'],
];

const config = exactly({
  url: {
    type: 'string',
    title: 'URL of the server',
    description: 'https, unless `plain` is set, or `private` is set and the host is loopback.',
    pattern: '^https?://',
    maxLength: 2048,
  },
  headers: optional({
    type: 'object',
    title: 'Headers with credentials',
    description: 'Headers that are sent with each request, by name.',
    maxProperties: 32,
    default: {},
    propertyNames: { pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$" },
    additionalProperties: {
      type: 'string',
      minLength: 1,
      maxLength: 8192,
      pattern: '^[!-~](?:[ -~]*[!-~])?$',
      secret: true,
    },
  }),
  private: optional({
    type: 'boolean',
    title: 'May have a private or local address',
    default: false,
  }),
  plain: optional({
    type: 'boolean',
    title: 'May be called without TLS',
    description: 'The headers are then sent unencrypted.',
    default: false,
  }),
  sessions: optional({
    enum: ['auto', 'shared', 'per_principal', 'per_run'],
    title: 'Who shares a session',
    description:
      'For servers with sessions. auto: each principal has its own session; a server without sessions gets one connection.',
    default: 'auto',
  }),
  ...connectionSettings,
  ...serverSettings,
});

/**
 * Calls tools of an MCP server over Streamable HTTP (2026-07-28, and the revisions of 2025). The key goes along as
 * Idempotency-Key, but a server may ignore it; so the provider declares no idempotency.
 */
export default defineProvider({
  name: 'http',
  capability: mcp,
  about: 'Calls tools of an MCP server over HTTP.',
  config,
  idempotency: { kind: 'none' },
  idempotencyOf: peerIdempotency,
  warningsOf: ({ url }) => {
    const { hostname, protocol } = URL.parse(url) ?? {};
    if (protocol !== 'http:' || isLoopbackHost(hostname ?? '')) return [];
    return [`url is http, and ${hostname ?? 'it'} is another machine: calls and credentials are sent unencrypted`];
  },
  open: (scope) => openServer('mcp/http', scope, serverOf),
});

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const own = named.find(([name]) => ownHeaders.includes(name));
  if (own === undefined) return Object.fromEntries(named);
  throw new ProviderError('provider_fault', `headers contains ${own[0]}, which the protocol sets itself`, {
    phase: 'open',
    remedy: 'remove it from `headers`',
  });
}

function serverOf(settings: Infer<typeof config>, log: Log): UpstreamServer {
  let fetching: Promise<GuardedFetch> | undefined;
  return new UpstreamServer({
    async dial(options) {
      fetching ??= guardedFetch({ ...settings, headers: lowerCased(settings.headers) }, systemResolve);
      const fetch = (await fetching).of({ streams: options.onListChanged !== undefined });
      const { url, era } = settings;
      const connection = connect({ kind: 'http', url, fetch }, { ...options, era });
      return connection.catch((error: unknown) => Promise.reject(noteTried(error, hostAndPort(url))));
    },
    end: async () => (await fetching?.catch(() => undefined))?.close(),
    sharing: settings.sessions,
    mostSessions: 64,
    tools: settings.tools,
    maxRestartsPerMin: Infinity,
    longestDelayMs: 2000,
    connectMs: 10_000,
    log,
  });
}
