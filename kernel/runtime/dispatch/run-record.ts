import type { Allowed, Denied, Principal } from '../../access.ts';
import type { Opening, Receipt } from '../../fact.ts';
import type { Health } from '../../health.ts';
import type { Slot } from '../provider/binding.ts';
import type { Lease } from '../provider/generation.ts';
import type { Claim } from '../journal/keys.ts';
import type { Orb } from '../catalog/orb.ts';
import type { Orbiset } from '../catalog/orbiset.ts';
import type { Ending } from '../outcome/outcome.ts';
import type { Attempt, Mode, Standing } from '../run.ts';

/** What a caller asks for. */
export interface RunRequest {
  readonly orbiset_id: string;
  readonly orb_id: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly delivery?: 'at_most_once' | 'at_least_once';
  readonly timeout_ms?: number;
  /** Answers the salts of the receipt's commitments. */
  readonly disclose?: boolean;
  readonly principal: Principal;
  readonly client_ip: string;
  /** W3C traceparent of the request, for those who look at traces; decides nothing. */
  readonly traceparent?: string | undefined;
  /** Hears what is left of the limits that hold for the run. */
  readonly limited?: (headers: Readonly<Record<string, string>>) => void;
  /** The caller's Idempotency-Key, in use by this request. */
  readonly claim?: Claim | undefined;
}

/** An accepted run: it only gains fields from here on, so that a wrong order of steps does not compile. */
export interface Run extends RunRequest {
  readonly run_id: string;
  readonly orb: Orb;
  readonly orbiset: Orbiset;
  /** The inputs in canonical form, as they were accepted: an adapter may do with its own what it likes. */
  readonly inputs_text: string;
  readonly inputs_bytes: number;
  readonly standing: Standing;
  readonly mode: Mode;
  /** All providers that may serve it, the active one first. */
  readonly order: readonly Slot[];
  /** The order before mode and allow-list. */
  readonly bound: readonly Slot[];
  /** Hold on the active generation, taken together with the order: what the decision sees is what serves. */
  readonly lease: Lease | undefined;
  /** Milliseconds since the Unix epoch, and on the clock that never goes back. */
  readonly accepted_at: number;
  readonly begun: number;
}

/** A run with its decision. */
export interface Decided extends Run {
  readonly decision: Allowed | Denied;
}

/** A run that has ended; a failure is data here. */
export interface Settled extends Decided {
  readonly ending: Ending;
  readonly attempts: readonly Attempt[];
  /** What the provider answered, in canonical form, as it was checked: an adapter may go on with its own. */
  readonly outputs?: string;
  readonly outputs_checked: 'valid' | 'invalid' | 'absent' | 'unchecked';
  /** The first of the order at the moment of binding. */
  readonly provider?: {
    readonly name: string;
    readonly generation: number;
    readonly health: Health;
    readonly swap_id?: string;
  };
  readonly caller_deadline: boolean;
  readonly finished_at: number;
  readonly execution_ms: number;
}

/** A run whose receipt is durable. */
export interface Attested extends Settled {
  readonly receipt: Receipt;
  readonly opening?: Opening;
}
