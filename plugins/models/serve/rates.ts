import { PlatformError } from '../../../kernel/index.ts';
import { countOrb, type ModelsScope } from '../scope.ts';
import { rateHeaders, requestRate, type RateForm } from '../wire/rates.ts';
import type { DoorRun, RunNotes } from './door-run.ts';

type Headers = Readonly<Record<string, string>>;

const formOf = ({ door }: Pick<DoorRun, 'door'>): RateForm => (door.startsWith('openai/') ? 'openai' : 'anthropic');

/** Makes what adds the limits of requests to the answer of a call, as the platform and as its API name them. */
export function addRequestRate(run: Pick<DoorRun, 'asking' | 'door'>): (headers: Headers) => void {
  return (headers) => {
    const rate = requestRate(headers);
    run.asking.addHeaders(rate === undefined ? headers : { ...headers, ...rateHeaders(formOf(run), 'requests', rate) });
  };
}

/** Makes the headers that tell what is left of the tokens of this minute; none if no budget limits them. */
export async function tokenRateOf(run: DoorRun, { provider }: RunNotes, scope: RateScope): Promise<Headers> {
  const { asking, inputs, orb_id, orbiset_id } = run;
  if (scope.tokenRate === undefined || orb_id === countOrb) return {};
  const call = { principal: asking.principal, orbiset_id, model: String(inputs['model']), provider };
  // A store that is away is told by the run itself; the call must not fail by a header.
  const rate = await scope.tokenRate(call).catch(() => undefined);
  if (rate === undefined) return {};
  const { ends_at, limit, remaining } = rate;
  const now = scope.clock.now();
  const reset_s = Math.max(0, Math.ceil((ends_at - now) / 1000));
  return rateHeaders(formOf(run), 'tokens', { limit, remaining, reset_s }, now);
}

type RateScope = Pick<ModelsScope, 'clock' | 'tokenRate'>;

const limits = new Set(['rate_limited', 'budget_exhausted']);

/** Adds what is left of the tokens to a failure by which the caller is to send less. */
export async function withTokenRate(error: unknown, ...of: Parameters<typeof tokenRateOf>): Promise<unknown> {
  if (!(error instanceof PlatformError) || !limits.has(error.code)) return error;
  return withHeaders(error, await tokenRateOf(...of));
}

/** Makes the same failure with more headers. */
export function withHeaders(error: PlatformError, more: Headers): PlatformError {
  const { headers, ...rest } = error.extensions;
  return new PlatformError(
    error.code,
    error.message,
    { ...rest, headers: { ...headers, ...more } },
    { cause: error.cause },
  );
}
