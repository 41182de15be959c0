import { definePlugin, operation, type Operation, type Store } from '../../../kernel/index.ts';
import { defineCapability, defineProvider, type ExecuteContext } from '../../../kernel/adapter.ts';
import {
  meterPort,
  runtime,
  type ExecuteCall,
  type ExecutionResult,
  type MeteredEnd,
  type MeteredRun,
  type MeterPort,
  type Runtime,
} from '../../../plugins/runtime/contract.ts';
import limitsStore from '../../../plugins/runtime/run/limits/store.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { recordOrb } from '../../helpers/recorder.ts';

/** The Orb of these tests. */
export const orb = 'test.record@1.0.0';

/** What one provider does with a call. */
export type Behaviour = (context: ExecuteContext) => Promise<object | void> | object | void;

/** What became of a call that streams. */
export interface Streamed {
  /** Where the answer began, then its parts. */
  readonly heard: object[];
  readonly result?: ExecutionResult;
  readonly replayed?: boolean;
  /** The problem, when it did not complete. */
  readonly code?: string;
  readonly run_id?: string;
}

/** A platform with two providers that stream, a caller within it, and a meter that counts runs in a window. */
export class StreamingBed {
  readonly behaviour: Record<string, Behaviour> = {};
  /** Names of the providers that were called, in order. */
  readonly calls: string[] = [];
  readonly settled: (readonly [MeteredRun, MeteredEnd])[] = [];
  /** Writes that ride with an intent, beside the reservation. */
  beside: readonly Operation[] = [];
  meter: Partial<MeterPort> = {};
  platform!: TestPlatform;
  #runtime!: Runtime;
  #store!: Store;
  #principal!: ExecuteCall['principal'];

  /** Starts it. `manifest`: members of the Orb's manifest; `drains`: names of providers that go on without their caller. */
  async start(manifest: object = {}, drains: readonly string[] = []): Promise<void> {
    const config = (name: string) => ({ name, drains: drains.includes(name) });
    this.platform = await startPlatform({
      platform: {
        // This bed has a meter of its own.
        plugins: { budgets: false },
        providers: {
          a: { adapter: 'record/stream', config: config('a') },
          b: { adapter: 'record/stream', config: config('b') },
        },
      },
      data: { [`orbs/${orb}.json`]: recordOrb({ effect: 'none', action_class: 'read', ...manifest }) },
      adapters: [this.#adapter()],
      plugins: [this.#plugin()],
    });
    const { body } = await this.platform.call('GET', '/keys');
    const [{ principal, key_id }] = body.keys;
    this.#principal = { id: principal, key_id, tenant: 'default', scopes: ['*'], mode: 'live' };
  }

  /** Runs the Orb for a caller that streams. */
  async stream(more: Partial<ExecuteCall> = {}, key?: string): Promise<Streamed> {
    const heard: object[] = [];
    const call: ExecuteCall = {
      ...{ orbiset_id: 'default', orb_id: orb, inputs: { token: 'x' } },
      ...{ principal: this.#principal, client_ip: '127.0.0.1' },
      stream: { started: ({ provider }) => void heard.push({ provider }), emit: (part) => void heard.push(part) },
      ...more,
    };
    try {
      const { answer, replayed } = await this.#runtime.execute(call, key);
      return { heard, result: answer, replayed };
    } catch (error) {
      const { code, extensions } = error as { code: string; extensions: { run_id?: string } };
      return { heard, code, ...(extensions.run_id === undefined ? {} : { run_id: extensions.run_id }) };
    }
  }

  /** Reads the row of a run, and the facts of its receipt. */
  async run(run_id: string) {
    const { body } = await this.platform.call('GET', `/runs/${run_id}`);
    const receipt = await this.platform.call('GET', `/receipts/${body.receipt_id}`);
    const { facts, score_fact } = receipt.body.statement.predicate;
    return { status: body.status, reason: body.reason, facts, counts: score_fact.outcome_class };
  }

  /** Counts what runs have reserved. */
  async reserved(): Promise<number> {
    const [{ used }] = await this.#store.write([drawn('asked', 0)]);
    return used;
  }

  #adapter() {
    return defineProvider({
      name: 'stream',
      capability: defineCapability({ name: 'record', title: 'Record' }),
      config: {
        type: 'object',
        additionalProperties: false,
        required: ['name', 'drains'],
        properties: { name: { type: 'string' }, drains: { type: 'boolean' } },
      },
      drainsOf: ({ drains }) => drains,
      open: ({ config: { name } }) => ({
        execute: async (_, context) => {
          this.calls.push(name);
          const outputs = await this.behaviour[name]?.(context);
          return { token: 'x', by: name, opening: 1, ...outputs };
        },
      }),
    });
  }

  #plugin() {
    const reserve = (run: MeteredRun): readonly Operation[] => [drawn(run.run_id, 1), ...this.beside];
    const settle: MeterPort['settle'] = (run, end) => {
      this.settled.push([run, end]);
      return { operations: [], facts: { usage: { input_tokens: 3, source: 'vendor' } } };
    };
    return definePlugin({
      name: 'streamer',
      requires: { runtime },
      provides: { meter: meterPort },
      start: ({ services, store }) => {
        this.#runtime = services.runtime;
        this.#store = store;
        const meter: MeterPort = {
          reserve: (run) => (this.meter.reserve ?? reserve)(run),
          settle: (run, end) => (this.meter.settle ?? settle)(run, end),
          priceOf: () => undefined,
        };
        return { services: { meter } };
      },
    });
  }
}

// In place of a budget: the windows of rates, a store of the runtime.
function drawn(asked: string, chunk: number) {
  return operation(limitsStore, 'draw', { name: 'test budget', count: 1000, window_ms: 3_600_000, chunk, asked });
}
