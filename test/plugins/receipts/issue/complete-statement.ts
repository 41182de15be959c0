import { cutShape, fill } from '../../../../plugins/receipts/format/shape.ts';
import { completeValues, type SplitStatement } from '../../../../plugins/receipts/issue/split-statement.ts';

/** Completes a split statement with its position in the chain, as text. */
export function completeStatement(split: SplitStatement, sequence: number, previousDigest: string | undefined): string {
  return fill(cutShape(split.shape), completeValues(split, sequence, previousDigest)) ?? '';
}
