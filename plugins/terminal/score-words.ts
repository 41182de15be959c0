/** The explanation of a trust score, as a receipt states it. */
export interface ScoreReasons {
  readonly deductions?: readonly { readonly code: string; readonly points: number }[];
  readonly gates?: readonly { readonly code: string; readonly max: number }[];
}

/** Explains a trust score in words: first the gates, which limit it, then the deductions. Empty: no point was lost. */
export function explainScore(trustScore: number, { deductions = [], gates = [] }: ScoreReasons = {}): string {
  const limits = gates.map(({ code, max }) => `${inWords(code)}: at most ${max}`);
  const lost = deductions.map(({ code, points }) => `${inWords(code)} −${points}`).join(', ');
  const sum = deductions.reduce((total, { points }) => total + points, 0);
  // A gate only lowers the score, so a higher score than the sum leaves means that a category reached its cap.
  const capped = 100 - sum < trustScore ? ' (each category deducts at most its own maximum)' : '';
  return [...limits, ...(lost === '' ? [] : [`${lost}${capped}`])].join(' · ');
}

/** What the answer of `GET /receipts/{receipt_id}` says of a score. */
export interface ScoredReceipt {
  readonly receipt_id: string;
  /** 0–100 */
  readonly trust_score?: number;
  readonly risk_level?: string;
  /** The score of a receipt that does not verify. */
  readonly effective?: { readonly trust_score: number; readonly risk_level: string };
  readonly statement?: { readonly predicate: { readonly score?: ScoreReasons } };
}

/** Describes the score of a receipt in one line: the number, its gates and its deductions. Undefined: it has no score. */
export function scoreLine({ trust_score: score, effective, statement }: ScoredReceipt): string | undefined {
  if (score === undefined) return undefined;
  if (effective !== undefined) return `${effective.trust_score} · the receipt does not verify: at most 0`;
  const why = explainScore(score, statement?.predicate.score);
  return why === '' ? String(score) : `${score} · ${why}`;
}

function inWords(code: string): string {
  return code.replaceAll('_', ' ');
}
