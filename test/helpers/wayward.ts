import { defineCapability, defineProvider, ProviderError, type ExecuteContext } from '../../kernel/adapter.ts';

// Capability of the test Orbs.
const wayward = defineCapability({ name: 'wayward', title: 'Misbehaves as told' });

type Inputs = Readonly<Record<string, unknown>>;

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

const behaviours: Readonly<Record<string, (inputs: Inputs, context: ExecuteContext) => unknown>> = {
  answers: ({ echo }) => ({ echo }),
  throws: () => {
    throw new Error('a secret of the adapter: hunter2');
  },
  'throws text': () => {
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- what a careless author might do
    throw 'text';
  },
  'answers undefined': () => undefined,
  'answers null': () => null,
  'answers a list': () => [1],
  'answers a class': () => new Map(),
  'answers NaN': () => ({ echo: Number.NaN }),
  'answers a lone surrogate': () => ({ echo: '\ud800' }),
  'answers other fields': () => ({ wrong: true }),
  'answers a circle': () => {
    const circle: Record<string, unknown> = {};
    circle['echo'] = circle;
    return circle;
  },
  hangs: () => new Promise(() => undefined),
  'knows that nothing was sent': async (_, { signal }) => {
    await aborted(signal);
    throw new ProviderError('not_sent', 'stopped before the first byte');
  },
  'is rejected': () => {
    throw new ProviderError('rejected', 'no such recipient');
  },
  'has a fault': () => {
    throw new ProviderError('provider_fault', 'the account is suspended');
  },
  'is throttled': () => {
    throw new ProviderError('throttled', 'slow down', { retry_after: 42 });
  },
  'is not sent': () => {
    throw new ProviderError('not_sent', 'connection refused', { phase: 'connect' });
  },
  'says no outcome there is': () => {
    throw new ProviderError('timeout' as 'unknown', 'too late');
  },
  'says more than a receipt holds': () => {
    throw new ProviderError('unknown', '\ud800'.repeat(100_000), { phase: `\ud800${'x'.repeat(100_000)}` });
  },
  'never comes back': () => {
    throw new ProviderError('throttled', 'slow down', { retry_after: Infinity });
  },
  'comes back at no time': () => {
    throw new ProviderError('throttled', 'slow down', { retry_after: Number.NaN });
  },
  'is unknown': () => {
    throw new ProviderError('unknown', 'the connection broke', { phase: 'data' });
  },
};

/** An adapter that does what `inputs.behaviour` says. */
export const waywardAdapter = defineProvider({
  name: 'local',
  capability: wayward,
  config: { type: 'object', additionalProperties: false, properties: {} },
  sandbox: true,
  open: () => ({
    execute: async (inputs, context) =>
      behaviours[String(inputs['behaviour'])]?.(inputs, context) as Promise<Record<string, unknown>>,
  }),
});

/** An adapter that cannot be opened. */
export const shutAdapter = defineProvider({
  name: 'shut',
  capability: wayward,
  config: { type: 'object', additionalProperties: false, properties: {} },
  sandbox: true,
  open: () => {
    throw new Error('the port is closed');
  },
});

/** Makes the manifest of a test Orb with an effect, e.g. `test.none@1.0.0`. */
export function waywardOrb(effect: string, more: object = {}): object {
  return {
    manifest_version: 1,
    orb_id: `test.${effect}@1.0.0`,
    title: 'Misbehaves',
    description: 'Does what its inputs say.',
    capability: 'wayward',
    inputs_schema: { type: 'object', required: ['behaviour'], properties: { behaviour: { type: 'string' }, echo: {} } },
    outputs_schema: { type: 'object', required: ['echo'], properties: { echo: {} }, additionalProperties: false },
    effect,
    action_class: 'read',
    data_classes: ['public'],
    timeout_ms: 250,
    latency_objective_ms: 100,
    ...more,
  };
}
