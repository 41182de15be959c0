import type { AttestedRun, RunFact, RuntimeFact } from './facts.ts';
import type { CallbackChecks } from './callbacks.ts';
import { type Health, defineEvent, type Attestation, type Fact, type Platform } from '../../../kernel/index.ts';
import type { HookCalls } from '../../../kernel/runner.ts';

/** The event of a run that has its receipt. */
export interface RunSettled extends Pick<
  RunFact,
  'run_id' | 'orb_id' | 'orbiset_id' | 'tenant' | 'status' | 'mode' | 'execution_ms'
> {
  readonly receipt_id: string;
  /** Whether the providers of the Orb worked for this run; undefined: the run does not show it. */
  readonly usable?: boolean | undefined;
  /** W3C traceparent of the request. */
  readonly traceparent?: string | undefined;
  readonly provider?: RunFact['facts']['provider'] | undefined;
}

/** The event of an Orb whose generation was replaced; the old one has drained. */
export interface ProviderSwapped {
  readonly swap_id: string;
  readonly orb_id: string;
  readonly from?: string;
  readonly to: string;
  readonly generation: number;
  /** RFC 3339 UTC. */
  readonly at: string;
}

/** The event of a provider whose health changed. */
export interface HealthChange {
  readonly kind: 'provider';
  readonly name: string;
  readonly from: Health;
  readonly to: Health;
  readonly reason?: string;
  /** The failure that it comes from, in words for those who hold `providers:read`. */
  readonly detail?: string;
  /** RFC 3339 UTC. */
  readonly at: string;
}

/** The event of a tool whose definition was compared with an Orb's manifest: at first, and when the result changes. */
export interface DefinitionChanged {
  readonly orb_id: string;
  readonly provider: string;
  readonly tool: string;
  /** `pinned`: as in the manifest; the Orb is served. `released`: the Orb left service. */
  readonly state: 'pinned' | 'changed' | 'gone' | 'released';
  /** Digest in the manifest. */
  readonly definition_digest: string;
  /** Digest at the provider; absent when the tool is not on offer. */
  readonly found_digest?: string;
  /** RFC 3339 UTC. */
  readonly at: string;
}

const former = { formerly: 'kernel' } as const;

/** A run has its receipt. */
export const runSettled = defineEvent<RunSettled>('runSettled', former);

/** The provider of an Orb was replaced, and the old one has drained. */
export const providerSwapped = defineEvent<ProviderSwapped>('providerSwapped', former);

/** The health of a provider changed. */
export const healthChanged = defineEvent<HealthChange>('healthChanged', former);

/** A tool was compared with the manifest of its Orb. */
export const definitionChanged = defineEvent<DefinitionChanged>('definitionChanged', former);

/** The result of attesting a fact; only a run's receipt has a score. */
export type AttestedAs<F extends RuntimeFact> = F extends RunFact ? AttestedRun : Attestation;

/** What the runtime asks and tells others. */
export interface RuntimeHooks {
  attest<F extends RuntimeFact>(fact: Fact<F, AttestedAs<F>>): Promise<AttestedAs<F>>;
  readonly decide: Platform['decide'];
  /** Tells the listeners of an event. */
  readonly tell: HookCalls['tell'];
  /** Checks the callbacks that runs ask for. */
  readonly callbacks: Pick<CallbackChecks, 'add' | 'require'>;
}
