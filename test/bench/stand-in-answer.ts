import { definePlugin, timestamp } from '../../kernel/index.ts';
import type { Receipt } from '../../plugins/runtime/contract.ts';

/** Answers a run at once and writes nothing: what it costs without signature, log and commit. */
export default definePlugin({
  name: 'stand-in-answer',
  start({ hooks, ids, clock }) {
    hooks.attest.tap('stand-in-answer', ({ fact }) => {
      if (fact.kind !== 'run') return undefined;
      const summary = { trust_score: 65, risk_level: 'medium', signature_valid: true } as const;
      return { receipt_id: ids('rec'), timestamp: timestamp(clock.now()), ...summary } satisfies Receipt;
    });
    return {};
  },
});
