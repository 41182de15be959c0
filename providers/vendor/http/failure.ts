import { blocked, BlockedAddress } from '../../../kernel/outbound.ts';
import { connectionRemedy, failureCode, failurePhase, privateHost } from '../connection/remedy.ts';
import { ProviderError } from '../../../kernel/adapter.ts';

/** State of a failed call: `written`: a byte of the request may have left; `aborted`: the signal ended the call. */
export interface CallMoment {
  readonly written: boolean;
  readonly aborted: boolean;
  /** Host and port of the vendor. */
  readonly tried?: string | undefined;
  /** What the operator reads of where the address comes from; `base_url` unless given. */
  readonly named?: string | undefined;
}

/** Maps a call without an answer to one outcome: always `unknown` once a byte of the request may have left. */
export function transportFailure(error: unknown, { written, aborted, tried, named }: CallMoment): ProviderError {
  if (!written && error instanceof BlockedAddress) return named === undefined ? privateHost() : blocked();
  if (aborted && written) return unknown('the deadline passed before the vendor responded', 'deadline');
  if (aborted) return notSent('the deadline passed before the request was written', 'deadline');
  const code = failureCode(error);
  const shown = code === undefined ? '' : ` (${code})`;
  const remedy = connectionRemedy(code, { address: named ?? '`base_url`', timeout, tried });
  if (written) return unknown(`the connection to the vendor failed before the response${shown}`, 'data', remedy);
  return notSent(`no connection to the vendor${shown}`, failurePhase(code), remedy);
}

const timeout = '`connect_timeout_ms` or `response_timeout_ms`';

function notSent(text: string, phase: string, remedy?: string): ProviderError {
  return new ProviderError('not_sent', text, { phase, remedy });
}

function unknown(text: string, phase: string, remedy?: string): ProviderError {
  return new ProviderError('unknown', text, { phase, remedy });
}
