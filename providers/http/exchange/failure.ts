import { connectionRemedy, failureCode, failurePhase } from '../../vendor/connection/remedy.ts';
import { blocked, BlockedAddress } from '../../../kernel/outbound.ts';
import { ProviderError } from '../../../kernel/adapter.ts';

/** State of a failed call: `written`: a byte may have left; `ended`: the timer that ended the call, if one did. */
export interface CallMoment {
  readonly written: boolean;
  readonly ended: 'deadline' | 'timeout' | undefined;
}

/** Maps a call without a complete answer to one outcome: always `unknown` once a byte may have left. */
export function transportFailure(error: unknown, { written, ended }: CallMoment): ProviderError {
  if (!written && error instanceof BlockedAddress) return blocked();
  if (ended !== undefined && written)
    return new ProviderError('unknown', 'the time limit passed before the target responded', { phase: ended });
  if (ended !== undefined)
    return new ProviderError('not_sent', 'the time limit passed before the request was sent', { phase: ended });
  const code = failureCode(error);
  const shown = code === undefined ? '' : ` (${code})`;
  const remedy = connectionRemedy(code, names);
  if (written)
    return new ProviderError('unknown', `the connection failed before the target responded${shown}`, {
      phase: 'data',
      remedy,
    });
  return new ProviderError('not_sent', `no connection to the target${shown}`, { phase: failurePhase(code), remedy });
}

const names = {
  address: 'the URL of the call, and `host` and `port` in `allow`',
  timeout: '`connect_timeout_ms`',
};
