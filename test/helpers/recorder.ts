import { defineCapability, defineProvider, ProviderError, type Adapter } from '../../kernel/adapter.ts';

/** What the providers of one test saw and how they are to behave. */
export interface Recorder {
  readonly adapter: Adapter;
  /** Every token a provider was called with, in order: who, which opening, what. */
  readonly calls: { readonly provider: string; readonly opening: number; readonly token: string }[];
  /** Calls that reached an opening after its close. */
  readonly lateCalls: string[];
  /** Openings that are open now. */
  readonly open: Set<number>;
  opened: number;
  closed: number;
  /** Told by name of the provider. */
  readonly behaviour: Record<string, Behaviour | undefined>;
}

/** How a provider behaves; each step may wait or throw. */
export interface Behaviour {
  readonly open?: () => Promise<void> | void;
  readonly probe?: (signal: AbortSignal) => Promise<void> | void;
  readonly execute?: (token: string, signal: AbortSignal) => Promise<void> | void;
}

const capability = defineCapability({ name: 'record', title: 'Keeps what it is given' });

/** Makes an adapter `record/local` whose providers are told apart by their configured name. */
export function createRecorder(): Recorder {
  const calls: Recorder['calls'] = [];
  const lateCalls: string[] = [];
  const open = new Set<number>();
  const behaviour: Recorder['behaviour'] = {};
  const recorder: Recorder = {
    adapter: undefined as unknown as Adapter,
    calls,
    lateCalls,
    open,
    opened: 0,
    closed: 0,
    behaviour,
  };
  const adapter = defineProvider({
    name: 'local',
    capability,
    config: {
      type: 'object',
      additionalProperties: false,
      required: ['name'],
      properties: { name: { type: 'string' }, secret: { type: 'string', secret: true }, note: { type: 'string' } },
    },
    open: async ({ config: { name } }) => {
      recorder.opened += 1;
      const opening = recorder.opened;
      open.add(opening);
      const close = async (): Promise<void> => {
        if (open.delete(opening)) recorder.closed += 1;
      };
      try {
        await behaviour[name]?.open?.();
      } catch (error) {
        await close();
        throw error;
      }
      return {
        async probe(signal) {
          await behaviour[name]?.probe?.(signal);
        },
        async execute({ token }, { signal }) {
          if (typeof token !== 'string') throw new ProviderError('rejected', 'no token');
          if (!open.has(opening)) lateCalls.push(token);
          calls.push({ provider: name, opening, token });
          await behaviour[name]?.execute?.(token, signal);
          return { token, by: name, opening };
        },
        close,
      };
    },
  });
  return Object.assign(recorder, { adapter });
}

/** The Orb of the recorder: irreversible, so that a doubled effect would be a fault. */
export function recordOrb(more: object = {}): object {
  return {
    manifest_version: 1,
    orb_id: 'test.record@1.0.0',
    title: 'Record',
    description: 'Hands a token to the bound provider.',
    capability: 'record',
    inputs_schema: {
      type: 'object',
      required: ['token'],
      properties: { token: { type: 'string' } },
      additionalProperties: false,
    },
    outputs_schema: { type: 'object', required: ['token', 'by', 'opening'] },
    effect: 'irreversible',
    action_class: 'write',
    data_classes: ['internal'],
    timeout_ms: 2000,
    ...more,
  };
}
