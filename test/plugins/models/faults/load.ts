import { setTimeout as pause } from 'node:timers/promises';
import { askAt, type Heard } from './clients.ts';
import type { Api } from './gateway.ts';
import type { BillingVendor, VendorCall } from './vendor.ts';

/** After what a server is killed, in turn: its vendor took a call, began to answer, or ended; or its caller has all. */
export const moments = ['taken', 'begun', 'ended', 'answered'] as const;

/** A moment in the course of a call. */
export type Moment = (typeof moments)[number];

/** Callers of several servers, one after the other until they are told to stop. */
export class Load {
  /** What each call got, by its number. */
  readonly heard = new Map<number, Heard>();
  readonly #key: () => string;
  #next = 0;
  /** Called at each moment. */
  seen: (moment: Moment) => void = () => undefined;

  /** `vendor`: whose calls are watched; it answers slowly. */
  constructor(vendor: BillingVendor, key: () => string) {
    this.#key = key;
    vendor.plan = (call) => {
      this.seen('taken');
      void this.#watch(call);
      return { pause_ms: Math.random() * 6 };
    };
  }

  /** How many calls were made. */
  get count(): number {
    return this.#next;
  }

  /** Lets so many callers ask, each its own server, until `stopped`. Every seventh call is left by its caller. */
  async run(urls: readonly string[], callers: number, stopped: () => boolean): Promise<void> {
    const caller = async (base: string): Promise<void> => {
      while (!stopped()) await this.#ask(base, this.#next++);
    };
    await Promise.all(Array.from({ length: callers }, (_, at) => caller(urls[at % urls.length] ?? '')));
  }

  async #ask(base: string, number: number): Promise<void> {
    const door: Api = number % 2 === 0 ? 'openai' : 'anthropic';
    const signal = number % 7 === 6 ? AbortSignal.timeout(1 + Math.floor(Math.random() * 40)) : undefined;
    const adapter = number % 4 < 2 ? 'openai' : 'anthropic';
    const asking = { base: `${base}/orbisets/${adapter}`, key: this.#key(), stream: number % 3 !== 0, signal };
    const heard = await askAt(door, number, asking);
    this.heard.set(number, heard);
    if (heard.raised === undefined) this.seen('answered');
    // A server that is away answers at once.
    else await pause(2);
  }

  async #watch(call: VendorCall): Promise<void> {
    for (let begun = false; call.ended === 'open'; await pause(1))
      if (!begun && call.events > 0) {
        begun = true;
        this.seen('begun');
      }
    this.seen('ended');
  }
}
