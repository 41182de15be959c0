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

function inWords(code: string): string {
  return code.replaceAll('_', ' ');
}
