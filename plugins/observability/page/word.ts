import { html, timestamp, trusted, type Html } from '../../../kernel/index.ts';
import { statusTitles, type Status } from '../contract.ts';
import type { Snapshot } from '../status/board.ts';
import { windowAt } from '../status/uptime.ts';

// Each status has its own symbol, so the colours are not the only difference.
const signs: Readonly<Record<Status, string>> = {
  operational: '<path d="M4.5 8.4l2.4 2.4 4.6-5.2" fill="none" stroke-width="1.8"/>',
  under_maintenance: '<path d="M5 8h6M8 5v6" fill="none" stroke-width="1.8"/>',
  degraded_performance: '<path d="M4.4 9.2c1.2-2.4 2.4-2.4 3.6-1.2s2.4 1.2 3.6-1.2" fill="none" stroke-width="1.8"/>',
  partial_outage: '<path d="M8 4.2v4.6M8 11.3v.1" fill="none" stroke-width="2"/>',
  major_outage: '<path d="M5.4 5.4l5.2 5.2M10.6 5.4l-5.2 5.2" fill="none" stroke-width="1.8"/>',
};

/** Draws the symbol of a status; it adds nothing to the word next to it. */
export function sign(status: Status): Html {
  return trusted(
    `<svg viewBox="0 0 16 16" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" focusable="false"><circle cx="8" cy="8" r="7" fill="none" stroke-width="1.5"/>${signs[status]}</svg>`,
  );
}

/** Shows a status as a word with a symbol. */
export function word(status: Status): Html {
  return html`<span class="word is-${status}">${sign(status)}<span>${capital(statusTitles[status])}</span></span>`;
}

/** Writes a phrase with a capital first letter. */
export function capital(phrase: string): string {
  return phrase.slice(0, 1).toUpperCase() + phrase.slice(1);
}

/** Shows a time, to the minute, UTC; `at`: RFC 3339. */
export function moment(at: string): Html {
  return html`<time datetime="${at}">${at.slice(0, 10)} ${at.slice(11, 16)} UTC</time>`;
}

/** Names the period of an uptime: `in 30 days` only when 30 days have been observed, else `since <day>`. */
export function period({ at, observedSince }: Pick<Snapshot, 'at' | 'observedSince'>): string {
  return observedSince <= windowAt(at).from ? 'in 30 days' : `since ${timestamp(observedSince).slice(0, 10)}`;
}
