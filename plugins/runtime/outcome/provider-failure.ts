import { longestMessage } from './failure.ts';
import { ProviderError } from '../../../kernel/adapter.ts';
import { given, timestamp, exactly, optional } from '../../../kernel/index.ts';
import type { Failure } from '../../../kernel/runner.ts';

/** The last failure of a provider, of a probe or of a call: when, and why. */
export interface LastFailure {
  /** Wall-clock time, ms. */
  readonly at: number;
  readonly failure: Pick<Failure, 'message' | 'remedy'>;
}

/** The last failures of a provider, as its health keeps them. */
interface LastFailures {
  readonly probeFailure: LastFailure | undefined;
  readonly callFailure: LastFailure | undefined;
}

/** A provider, as far as its failures are shown: no value of its configuration is. */
interface Configured {
  readonly config: unknown;
}

const longest = 300;
// A shorter value of a setting is a word that any sentence may have.
const shortestHidden = 4;
// What to change names settings and their values, e.g. `never`, and the host that was tried.
const shortestInRemedy = 8;
const shownInRemedy = ['host'];
// The values of a configuration are looked for in each message that is shown.
const longestRead = 10_000;

const lastFailure = exactly('LastFailure', {
  at: { type: 'string', format: 'date-time', description: 'When it failed' },
  reason: { type: 'string', maxLength: 2 * longest + 2, description: 'Why, and the setting to change if known' },
});

/** Schema of the last failures of a provider, for those who hold `providers:read`. */
export const failureSchemas = {
  probe_failure: optional({
    description: 'The last failed opening or health check on this node; kept after a later success',
    ...lastFailure,
  }),
  call_failure: optional({
    description: 'The last call on this node that failed through a fault of the provider',
    ...lastFailure,
  }),
} as const;

/**
 * Reads why an opening or a probe failed. The message of a ProviderError is for others by its contract; of any other
 * error only the code is shown, since its text may name accounts and paths.
 */
export function probeFailureOf(error: unknown): LastFailure['failure'] {
  if (error instanceof ProviderError) return { message: readable(error.message), ...remedyOf(error) };
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const shown = typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/u.test(code) ? ` (${code})` : '';
  return { message: `the adapter failed${shown}; the log of the server says why` };
}

const words: Readonly<Record<Failure['outcome'], string>> = {
  rejected: 'the provider rejected the call',
  provider_fault: 'the provider refused the call',
  not_sent: 'the call could not be sent',
  throttled: 'the provider asks to retry later',
  unknown: 'the provider did not report the outcome of the call',
  invalid_outputs: 'the outputs of the provider break the schema of the Orb',
};

/**
 * Reads why a call failed. A message without a remedy is left out: it may hold text of the caller or of the remote
 * server. The adapter promises that a message with a remedy holds none. A text that was cut is left out, too: it could
 * end within a secret, which would not be found then.
 */
export function callFailureOf(failure: Failure): LastFailure['failure'] {
  const { message, outcome, phase, remedy } = failure;
  const isWhole = (text: string): boolean => text.length < longestMessage;
  const told = `${words[outcome]}${phase === undefined ? '' : ` (${phase})`}`;
  if (remedy === undefined || !isWhole(remedy)) return { message: told };
  return { message: isWhole(message) ? message : told, remedy };
}

/** Shows the last failures of a provider: one line each, without a value of its configuration. */
export function shownFailures(provider: Configured, { probeFailure, callFailure }: LastFailures) {
  const told = (failure: LastFailure | undefined) => failure && shown(provider, failure);
  return given({ probe_failure: told(probeFailure), call_failure: told(callFailure) });
}

/** Says a failure in one sentence, for those who hold `providers:read`. */
export function sentenceOf(provider: Configured, failure: LastFailure): string {
  return shown(provider, failure).reason;
}

/** Says in one sentence why a provider is not up: its newest failure. Undefined: none is known. */
export function newestReason(provider: Configured, { probeFailure, callFailure }: LastFailures): string | undefined {
  const newest = (probeFailure?.at ?? -1) >= (callFailure?.at ?? -1) ? probeFailure : callFailure;
  return newest && sentenceOf(provider, newest);
}

/** Says in one sentence, for those who hold `providers:read`, why an opening or a probe failed just now. */
export function reasonFor(provider: Configured, error: unknown): string {
  return shown(provider, { at: 0, failure: probeFailureOf(error) }).reason;
}

/** Describes an error of an adapter for the log: all that it says, without a value of the configuration. */
export function loggedReason(provider: Configured | undefined, error: unknown): string {
  return withoutValues(error instanceof Error ? error.message : String(error), provider?.config);
}

function shown({ config }: Configured, { at, failure: { message, remedy } }: LastFailure) {
  const told = oneLine(withoutValues(message, config));
  const way = remedy && `; ${oneLine(withoutValues(remedy, config, shortestInRemedy, shownInRemedy))}`;
  return { at: timestamp(at), reason: told + (way ?? '') };
}

function withoutValues(text: string, config: unknown, shortest = shortestHidden, kept: readonly string[] = []): string {
  const hidden = textsOf(config, shortest, kept).reduce((rest, value) => rest.replaceAll(value, '…'), String(text));
  // An address may be written otherwise than the settings write it.
  return hidden.replace(/\/\/[^\s/?#@]{1,500}@/gu, '//…@');
}

// The longest first: one value may be a part of another.
function textsOf(config: unknown, shortest: number, kept: readonly string[]): string[] {
  const found: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value === 'string' && value.length >= shortest) found.push(value);
    else if (typeof value === 'object' && value !== null)
      for (const [name, one] of Object.entries(value)) if (!kept.includes(name)) visit(one);
  };
  visit(config);
  return found.sort((one, other) => other.length - one.length);
}

// A part of a longer one could end within a secret, which would not be found then.
function readable(message: string): string {
  return String(message).length > longestRead ? 'the message of the adapter is too long to be shown' : String(message);
}

function remedyOf({ remedy }: ProviderError): { readonly remedy?: string } {
  return typeof remedy === 'string' && remedy.length <= longestRead ? { remedy } : {};
}

// Control characters would break a line of a log or a terminal.
function oneLine(text: string): string {
  return String(text)
    .slice(0, 2 * longest)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .slice(0, longest);
}
