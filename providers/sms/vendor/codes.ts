import type { RejectedReason } from '../../../kernel/adapter.ts';
import type { Verdict, Vendor } from '../../vendor/http/refusal.ts';

/** What the codes of a vendor mean: the vendor's codes, separated by blanks, by their outcome or reason. */
export type CodeTable = Readonly<Partial<Record<RejectedReason | Exclude<Verdict, object>, string>>>;

// An answer with one of these statuses proves its meaning, whatever its code.
const proving: ReadonlySet<number> = new Set([401, 402, 403, 422, 429]);

/** Makes `outcome` of a vendor from a table of its codes. A code that is not in the table proves nothing: `unknown`. */
export function outcomeByCode(table: CodeTable): NonNullable<Vendor['outcome']> {
  const verdicts = new Map(
    Object.entries(table).flatMap(([meaning, codes]) =>
      codes.split(' ').map((code) => [code, verdictOf(meaning as keyof CodeTable)] as const),
    ),
  );
  return ({ status }, code) => {
    if (code === undefined) return undefined;
    return verdicts.get(code) ?? (proving.has(status) ? undefined : 'unknown');
  };
}

const outcomes = ['rejected', 'provider_fault', 'not_sent', 'throttled', 'unknown'] as const;

function verdictOf(meaning: keyof CodeTable): Verdict {
  const outcome = outcomes.find((one) => one === meaning);
  return outcome ?? { outcome: 'rejected', reason: meaning as RejectedReason };
}
