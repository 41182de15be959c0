import { cutShape, fill } from '../../../../plugins/receipts/format/shape.ts';
import {
  completeValues,
  type SplitStatement,
  type StatementParts,
} from '../../../../plugins/receipts/issue/split-statement.ts';

/** Completes a split statement with its position in the chain, as text. */
export function completeStatement(
  split: SplitStatement | StatementParts,
  sequence: number,
  previousDigest: string | undefined,
): string {
  const shape = 'shape' in split ? split.shape : split.parts.join('');
  return fill(cutShape(shape), completeValues(split, sequence, previousDigest)) ?? '';
}
