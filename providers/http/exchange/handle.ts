import { createAllowList, systemResolve, type AllowEntry, type Resolve } from '../../../kernel/outbound.ts';
import { ProviderError, type ProviderHandle } from '../../../kernel/adapter.ts';
import { readCall, type WantedCall } from '../request/call.ts';
import { callerHeaders } from '../request/headers.ts';
import { requestTarget } from '../request/url.ts';
import { outputsOf, type HttpOutputs } from './answer.ts';
import { openConnections } from './connections.ts';
import { acceptEncoding } from './decode.ts';
import type { Settings } from './settings.ts';

/** Opens a provider of the capability; `resolve` resolves host names and defaults to the system's resolver. */
export async function openHandle(settings: Settings, resolve: Resolve = systemResolve): Promise<ProviderHandle> {
  const allow = createAllowList(settings.allow);
  const connections = await openConnections(settings, allow, resolve);
  return {
    async execute(inputs, { signal, idempotency_key }): Promise<Record<string, unknown> & HttpOutputs> {
      if (signal.aborted)
        throw new ProviderError('not_sent', 'the deadline passed before the call', { phase: 'deadline' });
      const wanted = readCall(inputs);
      const target = requestTarget(wanted.url);
      const entry = allow.admit(target, wanted.method);
      const { origin, path } = target;
      const headers = requestHeaders(wanted, entry, idempotency_key);
      const { method, body, safe } = wanted;
      const received = await connections.call({ origin, path, method, headers, body }, signal);
      return { ...(await outputsOf(received, { safe, maxBytes: settings.max_body_bytes })) };
    },
    close: async () => connections.close(),
  };
}

function requestHeaders(wanted: WantedCall, entry: AllowEntry, key: string): Record<string, string> {
  const fixed = entry.headers ?? {};
  return {
    accept: '*/*',
    'user-agent': 'agent-orb',
    ...(wanted.content_type === undefined ? {} : { 'content-type': wanted.content_type }),
    ...callerHeaders(wanted.headers, fixed),
    ...fixed,
    'accept-encoding': acceptEncoding,
    ...(wanted.safe ? {} : { 'idempotency-key': key }),
  };
}
