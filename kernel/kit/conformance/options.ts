import type { FailureOutcome } from '../../error.ts';
import type { Adapter } from '../../runtime/provider/adapter.ts';
import type { OrbManifest } from '../../runtime/catalog/orb.ts';

/** What an adapter is called with. */
export type Inputs = Readonly<Record<string, unknown>>;

/** What stands on the other side of the adapter. */
export interface Receiver {
  /** Effects so far: messages delivered, files written. */
  effects(): number | Promise<number>;
  /** Calls that arrived so far, successful or not; absent when a call cannot be told from an effect. */
  calls?(): number;
  /** Resolves when the adapter holds no connection any more. */
  quiet?(): Promise<void>;
}

/** One way of failing. `arrange` breaks the receiver or answers a configuration that fails; `restore` undoes it. */
export interface Fault {
  readonly name: string;
  /** The one outcome that is right, or several where the rules leave a choice. */
  readonly outcome: FailureOutcome | readonly FailureOutcome[];
  /** The call may as well succeed with outputs that fit, since it did. */
  readonly mayAnswer?: true;
  /** The adapter may as well refuse to open: then nothing was sent. */
  readonly mayNotOpen?: true;
  readonly phase?: string;
  /** Calls the receiver sees: more than this is a retry. */
  readonly calls?: number;
  readonly inputs?: Inputs;
  arrange(): object | undefined | Promise<object | undefined>;
  /** Throws when the receiver saw what it should not. */
  expect?(): void;
  restore?(): void | Promise<void>;
}

/** A receiver that hangs: `stuck` resolves when the call has got stuck there. */
export interface Hang {
  readonly stuck: Promise<void>;
  readonly outcome: FailureOutcome | readonly FailureOutcome[];
  /** Replaces the configuration. */
  readonly config?: object;
  restore(): void;
}

/** What the suite needs to know of one adapter; its functions are called when a check runs. */
export interface ConformanceOptions {
  readonly adapter: Adapter;
  /** The Orb whose outputs it must give. */
  readonly orb: Pick<OrbManifest, 'effect' | 'outputs_schema'>;
  /** The configuration, secrets resolved; `stateDir` is a fresh folder of each check. */
  readonly config: (stateDir: string) => object;
  readonly inputs: Inputs;
  /** Values that may show up nowhere. */
  readonly secrets?: readonly string[];
  /** What the adapter wrote past its log, such as to standard output, since the suite began. */
  readonly written?: () => readonly string[];
  readonly receiver?: (stateDir: string) => Receiver;
  readonly faults?: readonly Fault[];
  readonly hang?: () => Hang;
}

/** One rule that an adapter keeps or breaks. */
export interface Check {
  /** A sentence about the adapter. */
  readonly title: string;
  /** Resolves when it keeps the rule; throws an error that says what it did instead. */
  run(): Promise<void>;
}
