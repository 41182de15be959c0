/**
 * Names of spans and their attributes: OpenTelemetry's `gen_ai.*` where it has one (the registry is in development and may
 * still rename), our own `orb.*` for the rest. Contents never.
 */
export const attributeNames = {
  operation: 'gen_ai.operation.name',
  tool: 'gen_ai.tool.name',
  error: 'error.type',
  orb: 'orb.id',
  version: 'orb.version',
  orbiset: 'orb.orbiset.id',
  provider: 'orb.provider',
  generation: 'orb.provider.generation',
  mode: 'orb.mode',
  status: 'orb.status',
  run: 'orb.run_id',
  receipt: 'orb.receipt_id',
  swap: 'orb.swap_id',
  from: 'orb.swap.from',
} as const;

/** What a run is, in the words of `gen_ai.operation.name`. */
export const runOperation = 'execute_tool';

/** Names the span of a swap. */
export const swapName = 'swap_provider';
