import {
  given,
  ProviderError,
  unlessAborted,
  type ExecuteContext,
  type Log,
  type OpenScope,
  type ProviderHandle,
  type UpstreamCall,
} from '../../../kernel/adapter.ts';
import type { Connection } from './client.ts';
import { isReadOnly, type ToolDefinition } from './definition.ts';
import { CallError, failureOutcome, isLostSession, notSent, refusedSession } from './failure.ts';
import type { Moment } from './moment.ts';
import { outputsOf } from './result.ts';
import type { UpstreamServer } from './server.ts';
import type { HandleSettings } from './settings.ts';
import { holdShared, keyOf } from './shared.ts';
import type { ToolResult } from './text.ts';

// The next attempt to open the provider finds a server that took long to start.
const lingerMs = 20_000;

/** Opens a provider of an adapter on the server of its configuration: it lists the tools. Throws ProviderError. */
export async function openServer<C extends HandleSettings>(
  adapter: string,
  { config: settings, stateDir, log, signal, offered }: OpenScope<C>,
  serverOf: (settings: C, log: Log) => UpstreamServer,
): Promise<ProviderHandle> {
  const { server, release } = holdShared(keyOf(adapter, stateDir, settings), () => serverOf(settings, log));
  try {
    await server.start();
  } catch (error) {
    await release();
    throw error;
  }
  // The opening is no longer awaited.
  const late = signal.aborted;
  const forget = server.onListed(() => offered?.());
  return {
    execute: (inputs, context) => execute({ server, settings, inputs, context }),
    probe: () => refreshed(server),
    offers: async () => {
      await refreshed(server);
      return [...server.definitions.values()].map(({ inputSchema: _, ...offer }) => offer);
    },
    definitionOf: (tool) => server.definitions.get(tool)?.digest,
    async close() {
      forget();
      if (late) setTimeout(() => void release(), lingerMs).unref();
      else await release();
    },
  };
}

interface Execution {
  readonly server: UpstreamServer;
  readonly settings: HandleSettings;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly context: ExecuteContext;
}

async function execute(execution: Execution): Promise<Record<string, unknown>> {
  const { settings, context } = execution;
  const { signal, upstream } = context;
  if (signal.aborted) throw new ProviderError('not_sent', 'the deadline passed before the call', { phase: 'deadline' });
  if (upstream === undefined)
    throw new ProviderError('provider_fault', 'the manifest of the Orb names no tool; import the Orb again', {
      phase: 'upstream',
    });
  const { result, tool_errors } = await call({ ...execution, upstream });
  const reading = { maxBytes: settings.max_result_bytes, isOrb: settings.peer === 'orb' };
  return { ...outputsOf(result, { effect: upstream.effect, tool_errors }, reading) };
}

/** Finds the tool as the manifest pins it. Throws ProviderError `provider_fault`: nothing is sent. */
function definitionFor(
  server: UpstreamServer,
  { tool, definition_digest: pinned }: UpstreamCall,
  { on_drift }: HandleSettings,
): ToolDefinition {
  const definition = server.definitions.get(tool);
  if (definition === undefined)
    throw new ProviderError('provider_fault', `the server no longer offers the tool ${tool}; nothing was sent`, {
      phase: 'tool_gone',
    });
  if (definition.digest === pinned || on_drift === 'allow') return definition;
  throw new ProviderError(
    'provider_fault',
    `the definition of the tool ${tool} differs from its manifest (${definition.digest}, not ${pinned}); ` +
      'nothing was sent; check the new definition, then import the tool again',
    { phase: 'definition_changed' },
  );
}

type Calling = Execution & { readonly upstream: UpstreamCall };
type Called = { readonly tool_errors: UpstreamCall['tool_errors'] | undefined; readonly result: ToolResult };

/** Calls the tool, and once more in a new session when the server no longer knows the one of the connection. */
async function call(calling: Calling): Promise<Called> {
  const { server, upstream, context } = calling;
  const { signal, idempotency_key: key } = context;
  // A server that does not tell of changes may define the tool otherwise by now.
  if (upstream.effect === 'irreversible') await unless(signal, refreshed(server, 'renew'));
  const held = await unless(signal, server.hold(upstream.principal));
  try {
    return await send(calling, held.connection);
  } catch (error) {
    if (!isLostSession(error, held.connection)) throw error;
    await server.drop(held.connection);
  } finally {
    held.release();
  }
  // The server may have been restarted with other tools, and the list is that of a connection that others share.
  await unless(signal, refreshed(server));
  const again = await unless(signal, server.hold(upstream.principal));
  try {
    return await send(calling, again.connection);
  } catch (error) {
    if (error instanceof CallError && isLostSession(error, again.connection)) throw refusedSession(error);
    throw failureOutcome(error, { written: true, key }, { signal });
  } finally {
    again.release();
  }
}

/** Lists the tools. Throws ProviderError. */
async function refreshed(server: UpstreamServer, how: 'refresh' | 'renew' = 'refresh'): Promise<void> {
  await server[how]().catch((error: unknown) => Promise.reject(notSent(error)));
}

/** Checks the definition of the tool, reports it and calls the tool. Throws ProviderError, or CallError: lost session. */
async function send({ server, settings, upstream, inputs, context }: Calling, connection: Connection): Promise<Called> {
  const { signal, idempotency_key: key } = context;
  const definition = definitionFor(server, upstream, settings);
  const { digest, inputSchema } = definition;
  const { tool, progress, traceparent } = upstream;
  upstream.report({
    ...{ server: connection.server, protocol: connection.protocol, tool },
    ...{ definition_digest: digest, pinned: digest === upstream.definition_digest },
  });
  const meta = { 'agent-orb/idempotency-key': key, ...given({ traceparent }) };
  const moment: Moment = { written: false, key };
  try {
    const asked = { name: tool, arguments: inputs, inputSchema, meta, progress };
    const result = await connection.call(asked, moment, signal);
    // What is read-only by the pinned definition has no effect when it fails, unless the manifest says otherwise.
    const harmless = digest === upstream.definition_digest && isReadOnly(definition) ? 'no_effect' : undefined;
    return { result, tool_errors: upstream.tool_errors ?? harmless };
  } catch (error) {
    throw isLostSession(error, connection) ? error : failureOutcome(error, moment, { signal });
  }
}

/** Ends the wait for a connection when the signal aborts. */
function unless<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const late = 'the time limit passed before the call was sent';
  return unlessAborted(signal, work, () => new ProviderError('not_sent', late, { phase: 'deadline' }));
}
