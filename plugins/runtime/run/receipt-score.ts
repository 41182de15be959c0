import type { CommandCall } from '../../../kernel/index.ts';
import { scoreLine, type ScoredReceipt } from '../../terminal/contract.ts';

/**
 * Asks the server for a receipt and explains its score in one line. Undefined: the receipt has no score, or this key may
 * not read it.
 */
export async function explainedScore(
  call: Pick<CommandCall, 'client'>,
  receiptId: string,
): Promise<string | undefined> {
  try {
    return scoreLine(await call.client().request<ScoredReceipt>('GET', `/receipts/${encodeURIComponent(receiptId)}`));
  } catch {
    // The command has done its work: a receipt that cannot be read does not make it fail.
    return undefined;
  }
}
