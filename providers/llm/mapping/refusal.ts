import { ProviderError, type FailureOutcome } from '../../../kernel/adapter.ts';
import { retryAfterOf } from '../../../kernel/outbound.ts';
import type { Answer } from '../../vendor/http/client.ts';

/** What an answer without success says. */
export interface Refused {
  readonly status: number;
  readonly headers: Answer['headers'];
  /** The vendor's own words for the error, the most exact first. */
  readonly codes: readonly unknown[];
}

/** How to read the refusals of one vendor. */
export interface RefusalWords {
  readonly title: string;
  /** Statuses that mean `try later` at this vendor alone. */
  readonly busy?: readonly number[];
}

type Meaning = 'account' | 'busy' | 'model' | 'request' | 'unknown';

// A vendor's word is more exact than its status.
const byCode = new Map<string, Meaning>([
  ...list('account', ['insufficient_quota', 'invalid_api_key', 'billing_error', 'billing_hard_limit_reached']),
  ...list('account', ['enforced_spend_limit_reached', 'contract_spend_limit_reached']),
  ...list('account', ['authentication_error', 'permission_error']),
  ...list('busy', ['server_is_overloaded', 'slow_down', 'overloaded_error', 'rate_limit_exceeded']),
  ...list('busy', ['rate_limit_error', 'ramp_limit_exceeded']),
  ...list('model', ['model_not_found', 'not_found_error']),
  ...list('request', ['context_length_exceeded', 'content_filter', 'request_too_large']),
]);

// Documented words that say no more than their status.
const otherWords = [
  ...['invalid_request_error', 'api_error', 'server_error', 'timeout_error', 'conflict_error', 'not_supported_error'],
  ...['service_unavailable_error', 'internal_error', 'invalid_value', 'invalid_type', 'invalid_json', 'invalid_prompt'],
  ...['unsupported_parameter', 'unsupported_value', 'unknown_parameter', 'missing_required_parameter', 'not_found'],
  ...['invalid_image_url', 'string_above_max_length', 'integer_above_max_value', 'array_above_max_length'],
];
const shownWords: ReadonlySet<string> = new Set([...byCode.keys(), ...otherWords]);

// Words of single vendors for what has a common one.
const sameAs: Readonly<Record<string, string>> = { exceed_context_size_error: 'context_length_exceeded' };

const outcomes: Readonly<Record<Meaning, FailureOutcome>> = {
  account: 'provider_fault',
  busy: 'throttled',
  model: 'provider_fault',
  request: 'rejected',
  unknown: 'unknown',
};

/** Maps an answer without success to one outcome. Whether it is billed follows: only `unknown` may be. */
export function refusalOf(words: RefusalWords, refused: Refused, now = Date.now()): ProviderError {
  const codes = refused.codes.flatMap((code) => shownCode(code));
  const known = codes.find((code) => byCode.has(code));
  const meaning = byCode.get(known ?? '') ?? meaningOf(refused.status, words.busy ?? []);
  const code = known ?? codes[0];
  const text = `${words.title} ${sentences[meaning]} (${refused.status}${code === undefined ? '' : ` ${code}`})`;
  const phase = meaning === 'model' ? 'model' : 'response';
  const remedy = remedies[meaning];
  if (meaning === 'busy') return new ProviderError('throttled', text, { phase, retry_after: retryAfter(refused, now) });
  return new ProviderError(outcomes[meaning], text, { phase, ...(remedy === undefined ? {} : { remedy }) });
}

const sentences: Readonly<Record<Meaning, string>> = {
  account: 'refused the call; check the credentials and the account',
  busy: 'limits the rate of requests',
  model: 'does not have the model',
  request: 'rejected the request',
  unknown: 'failed without reporting whether it answered',
};

const remedies: Readonly<Partial<Record<Meaning, string>>> = {
  account: 'check `api_key`, and the permissions and the credit of its account',
  model: 'check `models` and `base_url`',
};

function meaningOf(status: number, busy: readonly number[]): Meaning {
  if (status === 429 || status === 529 || busy.includes(status)) return 'busy';
  if ([400, 413, 415, 422].includes(status)) return 'request';
  if (status === 404) return 'model';
  if (status < 300 || [408, 409, 424].includes(status) || status >= 500) return 'unknown';
  // No redirect is followed.
  return 'account';
}

// Any other text of a vendor may repeat a prompt or a key.
function shownCode(code: unknown): string[] {
  if (typeof code !== 'string') return [];
  const word = Object.hasOwn(sameAs, code) ? sameAs[code] : code;
  return word !== undefined && shownWords.has(word) ? [word] : [];
}

function retryAfter({ headers }: Refused, now: number): number {
  const reset = ['requests', 'tokens'].map((what) => secondsOf(headers[`x-ratelimit-reset-${what}`]));
  const ms = headers['retry-after-ms'];
  const given =
    (ms !== undefined && /^\d{1,9}$/u.test(ms) ? Number(ms) / 1000 : retryAfterOf(headers, now)) ??
    Math.max(0, ...reset.map((seconds) => seconds ?? 0));
  return Math.min(86_400, Math.max(1, Math.ceil(given)));
}

/** Reads a length of time such as `6m0s` or `20ms`. */
function secondsOf(text: string | undefined): number | undefined {
  const found = /^(?:(\d{1,3})h)?(?:(\d{1,4})m(?!s))?(?:(\d{1,6}(?:\.\d{1,9})?)s)?(?:(\d{1,9})ms)?$/u.exec(text ?? '');
  if (found === null || text === '' || text === undefined) return undefined;
  const [, hours = 0, minutes = 0, seconds = 0, ms = 0] = found.map(Number).map((value) => (value > 0 ? value : 0));
  return hours * 3600 + minutes * 60 + seconds + ms / 1000;
}

function list(meaning: Meaning, codes: readonly string[]): [string, Meaning][] {
  return codes.map((code) => [code, meaning]);
}
