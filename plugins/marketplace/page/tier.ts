import { html, type Html } from '../../../kernel/index.ts';
import type { OrbReputation } from '../../ledger/contract.ts';

const sign = html`<svg viewBox="0 0 12 12" fill="currentColor" aria-hidden="true" focusable="false">
  <path
    d="M6 0l1.7 1.5 2.2-.2.5 2.2L12 5l-.9 2 .3 2.2-2.1.7L8.1 12 6 11.2 3.9 12 2.7 9.9.6 9.2.9 7 0 5l1.6-1.5.5-2.2 2.2.2z"
  />
</svg>`;

/** Shows a tier as a word with a symbol; `suspended` replaces it while the Orb is suspended. */
export function tierChip({ tier, suspended }: Pick<OrbReputation, 'tier' | 'suspended'>): Html {
  if (suspended) return html`<span class="chip tier tier-suspended">Suspended</span>`;
  if (tier === 'none') return html`<span class="chip tier-none">No tier yet</span>`;
  return html`<span class="chip tier tier-${tier}">${sign}${capital(tier)}</span>`;
}

/** Writes a word with a capital first letter. */
export function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

/** Shows a score (0–100) as a ring; null as a dash, with the reason. */
export function scoreRing(score: number | null, suspended = false): Html {
  const around = 2 * Math.PI * 42;
  const none = suspended ? 'suspended' : 'unscored';
  const label = score === null ? (suspended ? 'No score while suspended' : 'No score yet') : `Score ${score} of 100`;
  return html`<svg class="ring" viewBox="0 0 100 100" role="img" aria-label="${label}">
    <circle class="ring-back" cx="50" cy="50" r="42" fill="none" stroke-width="9" />
    ${
      score !== null &&
      score > 0 &&
      html`<circle
        class="ring-value"
        cx="50"
        cy="50"
        r="42"
        fill="none"
        stroke-width="9"
        stroke-linecap="round"
        stroke-dasharray="${((around * score) / 100).toFixed(1)} ${around.toFixed(1)}"
        transform="rotate(-90 50 50)"
      />`
    }
    <text x="50" y="56" text-anchor="middle">${score ?? '–'}</text>
    <text class="of" x="50" y="71" text-anchor="middle">${score === null ? none : 'of 100'}</text>
  </svg>`;
}

/** Shows a value (0–1000) as a bar; the text next to the bar says the same. */
export function bar(milli: number): Html {
  const kind = milli >= 750 ? 'bar-good' : milli >= 400 ? 'bar-fill' : milli > 0 ? 'bar-weak' : 'bar-none';
  const width = Math.max(milli === 0 ? 0 : 8, Math.min(1000, milli));
  return html`<svg class="bar" viewBox="0 0 1000 8" preserveAspectRatio="none" aria-hidden="true" focusable="false">
    <rect class="bar-back" width="1000" height="8" rx="4" />
    <rect class="${kind}" width="${width}" height="8" rx="4" />
  </svg>`;
}

/** Shows the column heads of a table; a head of type Html marks a column of numbers. */
export function columns(...heads: readonly (string | Html)[]): Html {
  const cells = heads.map(
    (head) => html`<th scope="col" ${typeof head !== 'string' && html`class="num"`}>${head}</th>`,
  );
  return html`<thead>
    <tr>
      ${cells}
    </tr>
  </thead>`;
}
