import type { Adapter, FailureOutcome, RejectedReason } from '../../../kernel/adapter.ts';
import type { OrbManifest } from '../../runtime/contract.ts';

/** The inputs of a call of an adapter. */
export type Inputs = Readonly<Record<string, unknown>>;

/** The other side of the adapter. */
export interface Receiver {
  /** Effects so far: messages delivered, files written. */
  effects(): number | Promise<number>;
  /** Calls that arrived so far, successful or not; absent when a call cannot be told from an effect. */
  calls?(): number;
  /** Resolves when the adapter holds no open connection. */
  quiet?(): Promise<void>;
}

/** One way of failing. `arrange` breaks the receiver or returns a configuration that fails; `restore` undoes it. */
export interface Fault {
  readonly name: string;
  /** The one right outcome, or several where the rules leave a choice. */
  readonly outcome: FailureOutcome | readonly FailureOutcome[];
  /** The call may also succeed with outputs that fit. */
  readonly mayAnswer?: true;
  /** The adapter may also refuse to open: then nothing was sent. */
  readonly mayNotOpen?: true;
  readonly phase?: string;
  /** Why the vendor rejected; absent: not checked. */
  readonly reason?: RejectedReason;
  /** Most calls that the receiver may see; more are a retry. */
  readonly calls?: number;
  readonly inputs?: Inputs;
  arrange(): object | undefined | Promise<object | undefined>;
  /** Throws when the receiver saw something that it should not see. */
  expect?(): void;
  restore?(): void | Promise<void>;
}

/** A receiver that hangs: `stuck` resolves when the call hangs there. */
export interface Hang {
  readonly stuck: Promise<void>;
  readonly outcome: FailureOutcome | readonly FailureOutcome[];
  /** Replaces the configuration. */
  readonly config?: object;
  restore(): void;
}

/** The data that the suite needs of one adapter; its functions are called when a check runs. */
export interface ConformanceOptions {
  readonly adapter: Adapter;
  /** The Orb whose outputs the adapter must give; its `upstream` when it represents a tool of the provider. */
  readonly orb: Pick<OrbManifest, 'effect' | 'outputs_schema' | 'upstream'>;
  /** The configuration, secrets resolved; `stateDir` is a fresh folder of each check. */
  readonly config: (stateDir: string) => object;
  readonly inputs: Inputs;
  /** Values that must not appear anywhere. */
  readonly secrets?: readonly string[];
  /** Output of the adapter outside its log, such as to standard output, since the suite began. */
  readonly written?: () => readonly string[];
  readonly receiver?: (stateDir: string) => Receiver;
  readonly faults?: readonly Fault[];
  readonly hang?: () => Hang;
}

/** One rule that an adapter keeps or breaks. */
export interface Check {
  /** A sentence about the adapter. */
  readonly title: string;
  /** Resolves when the adapter keeps the rule; throws an error that says what the adapter did instead. */
  run(): Promise<void>;
}
