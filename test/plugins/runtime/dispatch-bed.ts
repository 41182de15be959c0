import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Allowed } from '../../../kernel/access.ts';
import { defineCapability, defineProvider, type IdempotencySupport } from '../../../kernel/adapter.ts';
import { silentLog } from '../../../kernel/tools/log.ts';
import type { Slot } from '../../../plugins/runtime/provider/binding.ts';
import { dispatch, type DispatchOptions } from '../../../plugins/runtime/dispatch/dispatch.ts';
import { FairQueue, type QueueLimits } from '../../../plugins/runtime/provider/fair-queue.ts';
import { Generation } from '../../../plugins/runtime/provider/generation.ts';
import { createOrb, type Orb } from '../../../plugins/runtime/catalog/orb.ts';
import { ProviderHealth } from '../../../plugins/runtime/provider/health.ts';
import type { Decided, Dispatched } from '../../../plugins/runtime/dispatch/run-record.ts';
import { unknownStanding, type Attempt } from '../../../plugins/runtime/facts/facts.ts';
import { Transport } from '../../../plugins/runtime/provider/transport.ts';
import { recordOrb } from '../../helpers/recorder.ts';
import type { Effect } from '../../../kernel/provider/upstream.ts';

type Outputs = Record<string, unknown>;

/** Answers one call of a provider; the first of a script answers the first call, the last one all that follow. */
export type Script = readonly ((signal: AbortSignal, inputs: Outputs) => Outputs | Promise<Outputs>)[];

/** How a provider of the bed differs from one that is open, keeps no keys and has no limits. */
export interface SlotOptions {
  readonly idempotency?: IdempotencySupport;
  readonly lookup?: () => Outputs | Promise<Outputs> | undefined;
  readonly close?: () => void;
  readonly limits?: QueueLimits;
  readonly unopened?: true;
  readonly sandbox?: boolean;
}

/** What a run of the bed asks for. */
export interface RunOptions extends Partial<Pick<Decided, 'delivery' | 'timeout_ms' | 'run_id'>> {
  readonly effect?: Effect;
  readonly orbTimeoutMs?: number;
  readonly intend?: DispatchOptions['intend'];
  readonly fence?: DispatchOptions['fence'];
  readonly waits?: DispatchOptions['waits'];
}

/** Real generations, transports, queues and breakers of scripted providers, on a clock that stands still. */
export class DispatchBed {
  readonly time = { now: 0 };
  /** Names of the providers that were called, in order. */
  readonly calls: string[] = [];
  /** What each intent said of the attempts so far. */
  readonly intents: (readonly Attempt[])[] = [];
  readonly #clock = { now: () => this.time.now, monotonic: () => this.time.now };

  /** Opens a provider that answers by a script. */
  async slot(name: string, script: Script, options: SlotOptions = {}): Promise<Slot> {
    const { idempotency, lookup, close, limits, unopened, sandbox = false } = options;
    let call = 0;
    const adapter = defineProvider({
      name: 'scripted',
      capability: defineCapability({ name: 'record', title: 'Record' }),
      config: { type: 'object' },
      sandbox,
      ...(idempotency === undefined ? {} : { idempotency }),
      open: () => ({
        execute: async (inputs, { signal }) => {
          this.calls.push(name);
          return (await script[Math.min(call++, script.length - 1)]?.(signal, { ...inputs })) ?? {};
        },
        ...(lookup === undefined ? {} : { lookup: async () => lookup() }),
        ...(close === undefined ? {} : { close: async () => close() }),
      }),
    });
    const provider = { name, adapter, config: {}, config_digest: `sha256:${name}`, renew: () => provider };
    const health = new ProviderHealth(this.#clock, () => undefined);
    const transport = new Transport(provider, { stateDir: '', clock: this.#clock, log: silentLog, health });
    await transport.open(1000);
    const queue = limits === undefined ? undefined : new FairQueue(limits, this.#clock);
    const generation = unopened === true ? undefined : new Generation(1, transport, this.#clock);
    return { provider, health, queue, generation };
  }

  /** Opens the breaker of a provider as five failed calls do. */
  trip({ health }: Slot): void {
    const refused = { outcome: 'not_sent', message: 'refused' } as const;
    for (let n = 0; n < 5; n++) health.record(refused, 1, { callers: false, repeated: false });
  }

  /** An accepted and allowed run that holds the first provider of its order. */
  run(order: readonly Slot[], options: RunOptions = {}): Decided {
    const { effect = 'none', orbTimeoutMs = 1000, intend: _, fence: __, waits: ___, ...more } = options;
    const orb = orbOf(effect, orbTimeoutMs);
    const inputs = { token: 'x' };
    // The brand of a decision is made by the policy hook alone.
    const decision = { allow: true, policies: [], warns: 0, shadow_denies: 0 } as unknown as Allowed;
    return {
      ...{ run_id: 'run_1', orb_id: orb.orb_id, orbiset_id: 'default', client_ip: '127.0.0.1', mode: 'live' as const },
      ...{ inputs, inputs_text: JSON.stringify(inputs), inputs_bytes: 13, standing: unknownStanding },
      ...{ orb, orbiset: { id: 'default', tenant: 'default', orbs: ['*'] }, order, bound: order, decision },
      principal: { id: 'prn_1', key_id: 'key_1', tenant: 'default', scopes: ['*'], mode: 'live' },
      lease: order[0]?.generation?.lease(),
      ...{ accepted_at: this.time.now, begun: this.time.now },
      ...more,
    };
  }

  /** Dispatches a run as the execution does, and gives its lease back. */
  async dispatch(order: readonly Slot[], options: RunOptions = {}): Promise<Dispatched> {
    const run = this.run(order, options);
    try {
      return await dispatch(run, this.options(options));
    } finally {
      run.lease?.generation.release(run.lease);
    }
  }

  options({ intend, fence, waits }: RunOptions = {}): DispatchOptions {
    return {
      clock: this.#clock,
      log: silentLog,
      random: () => 0,
      fence,
      waits,
      intend: intend ?? (async (_, { attempts }) => void this.intents.push(attempts)),
    };
  }

  /** Waits until a provider has been called so many times. */
  async called(times: number): Promise<void> {
    while (this.calls.length < times) await nextTurn();
  }
}

/** Shows attempts as (provider, outcome, phase). */
export function attemptsOf({ attempts }: Dispatched): (string | undefined)[][] {
  return attempts.map(({ provider, outcome, phase }) => [provider, outcome, phase]);
}

function orbOf(effect: Effect, timeout_ms: number): Orb {
  const faults: string[] = [];
  const orb = createOrb(recordOrb({ effect, timeout_ms, outputs_schema: { type: 'object' } }), faults);
  if (orb === undefined) throw new Error(faults.join('; '));
  return orb;
}
