import { expect } from 'chai';
import { PlatformError } from '../../../../kernel/error.ts';
import type { Provider } from '../../../../kernel/provider/adapter.ts';
import type { Swap } from '../../../../plugins/runtime/tables/swap-record.ts';
import { StoreRetry } from '../../../../plugins/runtime/journal/store-retry.ts';
import { recordFailed, type RecordingOptions } from '../../../../plugins/runtime/swap/record-failed.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';

describe('a swap that failed', () => {
  const rows: readonly (readonly [code: string, refusals: number, attests: number, receipt: string | undefined])[] = [
    ['storage_unavailable', 0, 1, 'rec_1'],
    ['storage_unavailable', 1, 2, 'rec_1'],
    ['overloaded', 1, 2, 'rec_1'],
    // Nothing that a second try would change.
    ['access_denied', 1, 1, undefined],
  ];
  for (const [code, refusals, expected, receipt] of rows)
    it(`whose receipt is refused ${refusals} times by ${code} is attested ${expected} times`, async () => {
      let attests = 0;
      const retry = new StoreRetry(silentLog);
      const options = {
        hooks: {
          attest: async () => {
            if (++attests <= refusals) throw new PlatformError(code);
            return { receipt_id: 'rec_1' };
          },
        },
        clock: { now: () => 0 },
        log: silentLog,
        retry,
      } as unknown as RecordingOptions;
      const swap: Partial<Swap> = { swap_id: 'swp_1', orb_id: 'a.b@1.0.0', state: 'failed' };
      const target = { adapter: { name: 'x/y' }, config_digest: 'sha256:0' } as Provider;
      const rest = { decision: undefined, claim: undefined, problem: undefined };
      await recordFailed(swap as Swap, target, rest, options);
      await retry.close();
      expect([attests, swap.receipt_id]).to.deep.equal([expected, receipt]);
    });
});
