import { html } from '../../frame/html.ts';

/** Shows a certification tier. */
export function Tier({ of }: { readonly of: string }) {
  return html`<span class=${`chip tier tier-${of}`}>${of === 'none' ? 'no tier' : of}</span>`;
}

/** Writes a score; without one, why there is none. */
export function scoreText(score: number | null): string {
  return score === null ? 'no score' : String(score);
}
