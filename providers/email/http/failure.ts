import { connectionRemedy } from '../../../kernel/outbound.ts';
import { ProviderError } from '../../../kernel/adapter.ts';

/** State of a failed call: `written`: a byte of the request may have left; `aborted`: the signal ended the call. */
export interface CallMoment {
  readonly written: boolean;
  readonly aborted: boolean;
  /** Host and port of the vendor. */
  readonly tried?: string | undefined;
}

/** Maps a call without an answer to one outcome: always `unknown` once a byte of the request may have left. */
export function transportFailure(error: unknown, { written, aborted, tried }: CallMoment): ProviderError {
  if (aborted && written) return unknown('the deadline passed before the vendor responded', 'deadline');
  if (aborted) return notSent('the deadline passed before the request was written', 'deadline');
  const code = codeOf(error);
  const shown = code === undefined ? '' : ` (${code})`;
  const remedy = connectionRemedy(code, { ...names, tried });
  if (written) return unknown(`the connection to the vendor failed before the response${shown}`, 'data', remedy);
  const phase = phaseOf(code ?? '');
  return notSent(`no connection to the vendor${shown}`, phase, remedy);
}

const names = { address: '`base_url`', timeout: '`connect_timeout_ms` or `response_timeout_ms`' };

function phaseOf(code: string): string {
  if (/^(?:ENOTFOUND|EAI_)/u.test(code)) return 'dns';
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO|EPROTO/u.test(code)) return 'tls';
  if (/^UND_ERR_(?:DESTROYED|CLOSED)$/u.test(code)) return 'pool';
  return 'connect';
}

// Only the code is shown: messages name hosts, and causes hold the request.
function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/u.test(code) ? code : undefined;
}

function notSent(text: string, phase: string, remedy?: string): ProviderError {
  return new ProviderError('not_sent', text, { phase, remedy });
}

function unknown(text: string, phase: string, remedy?: string): ProviderError {
  return new ProviderError('unknown', text, { phase, remedy });
}
