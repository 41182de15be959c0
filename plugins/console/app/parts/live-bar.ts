import { html } from '../frame/html.ts';
import type { LiveState } from '../frame/events.ts';

const words: Readonly<Record<LiveState, string>> = {
  connecting: 'Connecting',
  live: 'Live',
  waiting: 'Reconnecting',
};

/** Stands above a live table: whether it is live, and the rows that wait. */
export interface LiveBarProps {
  readonly state: LiveState;
  readonly held: number;
  /** What one and several of its rows are called. */
  readonly names: readonly [one: string, several: string];
  readonly onShow: () => void;
}

/** Says whether a table is live, and shows the rows that wait when the reader asks for them. */
export function LiveBar({ state, held, names, onShow }: LiveBarProps) {
  return html`<div class="live-bar">
    <span class=${`status status-${state === 'live' ? 'good' : 'warn'}`}>${words[state]}</span>
    ${
      held > 0 &&
      html`<button class="button button-quiet" type="button" onClick=${onShow}>
        ${`Show ${held} new ${held === 1 ? names[0] : names[1]}`}
      </button>`
    }
  </div>`;
}
