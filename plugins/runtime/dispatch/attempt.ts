import { hash } from 'node:crypto';
import type { Orb } from '../catalog/orb.ts';
import type { AttemptTimer } from './attempt-timer.ts';
import type { Run } from './run-record.ts';
import { canonical } from '../../../kernel/index.ts';
import type { Dispatch, Outcome, Upstream, UpstreamFacts } from '../../../kernel/runner.ts';
import type { UpstreamCall, UpstreamProgress } from '../../../kernel/adapter.ts';

/** An outcome after its outputs were checked. */
export interface Checked {
  readonly outcome: Outcome;
  /** In canonical form. */
  readonly outputs?: string;
  readonly checked: 'valid' | 'invalid' | 'absent' | 'unchecked';
}

/**
 * Checks outputs. Outputs that cannot be signed, or break the Orb's schema, are the provider's failure; they are
 * committed to if possible.
 */
export function checked(outcome: Outcome, orb: Orb): Checked {
  if (outcome.outcome !== 'accepted') return { outcome, checked: 'unchecked' };
  const invalid = (message: string): Outcome => ({ outcome: 'invalid_outputs', message });
  try {
    const faults = orb.outputs.absent ? [] : orb.outputs.validate(outcome.outputs);
    // Last, because the schema may have filled in defaults.
    const outputs = canonical(outcome.outputs);
    if (faults.length === 0) return { outcome, outputs, checked: orb.outputs.absent ? 'absent' : 'valid' };
    const where = faults.map(({ pointer, detail }) => `${pointer}: ${detail}`).join('; ');
    const broken = invalid(`the provider's outputs break the Orb's schema (${where})`);
    return { outcome: broken, outputs, checked: 'invalid' };
  } catch {
    return { outcome: invalid('the provider returned outputs that cannot be written as JSON'), checked: 'invalid' };
  }
}

const base32 = Buffer.from('abcdefghijklmnopqrstuvwxyz234567');

/** Derives the provider-side key: SHA-256 of run id ‖ 0 ‖ provider name, base32 lower case, 52 characters. */
export function providerKey(runId: string, provider: string): string {
  const bytes = hash('sha256', `${runId}\0${provider}`, 'buffer');
  const text = Buffer.allocUnsafe(52);
  for (let at = 0; at < text.length; at++) {
    const bit = 5 * at;
    const two = ((bytes[bit >> 3] ?? 0) << 8) | (bytes[(bit >> 3) + 1] ?? 0);
    text[at] = base32[(two >> (11 - (bit & 7))) & 31] ?? 0;
  }
  return text.toString('latin1');
}

interface CallOptions {
  readonly timer: AttemptTimer;
  /** An earlier call had the inputs, and its adapter may have changed them. */
  readonly again: boolean;
  readonly report: (facts: UpstreamFacts) => void;
}

/** The dispatch that a generation gets; signal and key are made only for an adapter that uses them. */
export class ProviderCall implements Dispatch {
  readonly inputs: Dispatch['inputs'];
  readonly upstream?: UpstreamCall;
  readonly #run_id: string;
  readonly #provider: string;
  readonly #timer: AttemptTimer;

  constructor(
    run: Pick<Run, 'inputs' | 'inputs_text' | 'run_id' | 'orb' | 'principal' | 'traceparent' | 'watcher'>,
    provider: string,
    { timer, again, report }: CallOptions,
  ) {
    this.inputs = again ? (JSON.parse(run.inputs_text) as Dispatch['inputs']) : run.inputs;
    const { upstream, effect } = run.orb.manifest;
    if (upstream !== undefined) this.upstream = upstreamCall({ upstream, effect, run, report });
    this.#run_id = run.run_id;
    this.#provider = provider;
    this.#timer = timer;
  }

  get signal(): AbortSignal {
    return this.#timer.signal;
  }

  get idempotency_key(): string {
    return providerKey(this.#run_id, this.#provider);
  }
}

interface CallSource extends Pick<CallOptions, 'report'> {
  readonly upstream: Upstream;
  readonly effect: UpstreamCall['effect'];
  readonly run: Pick<Run, 'principal' | 'traceparent' | 'watcher'>;
}

function upstreamCall({ upstream, effect, run, report }: CallSource): UpstreamCall {
  const { principal, traceparent, watcher } = run;
  return {
    ...upstream,
    effect,
    principal: principal.id,
    ...(traceparent === undefined ? {} : { traceparent }),
    report: (facts) => report(upstreamFacts(facts)),
    ...(watcher?.progress === undefined ? {} : { progress: (told) => watcher.progress?.(toldProgress(told)) }),
  };
}

function toldProgress({ progress, total, message }: UpstreamProgress): UpstreamProgress {
  return { progress, total, message: message === undefined ? undefined : plain(message) };
}

const longest = 200;
const hidden = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

function plain(text: string): string {
  return text.toWellFormed().replace(hidden, '').slice(0, longest) || 'unknown';
}

// A server names itself; a receipt holds plain, short text that is not empty.
function upstreamFacts({ server, protocol, tool, definition_digest, pinned }: UpstreamFacts): UpstreamFacts {
  return {
    server: { name: plain(server.name), version: plain(server.version) },
    protocol: plain(protocol),
    tool,
    definition_digest,
    pinned,
  };
}
