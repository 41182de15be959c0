import { createHash } from 'node:crypto';
import { parseOrbId } from '../runtime/contract.ts';

/**
 * Names of the attributes of spans, for `GET /traces` and for the export: those of OpenTelemetry where one exists
 * (opentelemetry.io/docs/specs/semconv/gen-ai: in development, so names may still change), else our own `orb.*`. No
 * attribute has contents of a run.
 */
export const attributeNames = {
  operation: 'gen_ai.operation.name',
  tool: 'gen_ai.tool.name',
  vendor: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  responseModel: 'gen_ai.response.model',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  mcpMethod: 'mcp.method.name',
  mcpProtocol: 'mcp.protocol.version',
  error: 'error.type',
  orb: 'orb.orb',
  version: 'orb.version',
  orbiset: 'orb.orbiset.id',
  provider: 'orb.provider',
  adapter: 'orb.provider.adapter',
  generation: 'orb.provider.generation',
  channel: 'orb.channel',
  mode: 'orb.mode',
  status: 'orb.status',
  run: 'orb.run_id',
  receipt: 'orb.receipt_id',
  attempt: 'orb.attempt.number',
  attempts: 'orb.attempts',
  outcome: 'orb.attempt.outcome',
  phase: 'orb.attempt.phase',
  swap: 'orb.swap_id',
  from: 'orb.swap.from',
} as const;

/** Values of `gen_ai.operation.name`, and the method of MCP that calls a tool. */
export const operations = { tool: 'execute_tool', chat: 'chat', embed: 'embeddings', mcpTool: 'tools/call' } as const;

/** Names of the events of a run's span. */
export const spanEvents = { decided: 'orb.policy.decided', receipt: 'orb.receipt' } as const;

/** Names an Orb as a tool: without its version. */
export function toolOf(orbId: string): string {
  const { namespace, name } = parseOrbId(orbId);
  return `${namespace}.${name}`;
}

/** Makes an id of a trace or span from the id of a thing: the same one in every answer and export. */
export function traceIdOf(id: string, digits: 16 | 32): string {
  return createHash('sha256').update(id).digest('hex').slice(0, digits);
}

/** Finds the span of the caller in a traceparent; undefined when the server began the trace. */
export function callerSpan(traceparent: string | undefined): string | undefined {
  const span = traceparent?.slice(36, 52);
  // As `begin` in kernel/http/connection/head.ts makes it.
  return span === traceparent?.slice(11, 27) ? undefined : span;
}
