import { html } from '../frame/html.ts';
import type { LiveState } from '../frame/live-event.ts';
import type { LiveList } from '../frame/live.ts';

const words: Readonly<Record<LiveState, string>> = {
  connecting: 'Connecting',
  live: 'Live',
  waiting: 'Reconnecting',
};

/** Stands above a live table: whether it is live, and what waits. */
export interface LiveBarProps {
  readonly list: Pick<LiveList<unknown>, 'state' | 'held' | 'outdated' | 'showHeld'>;
  /** What one and several of its rows are called. */
  readonly names: readonly [one: string, several: string];
}

/** Says whether a table is live, and shows what waits when the reader asks for it. */
export function LiveBar({ list: { state, held, outdated, showHeld }, names }: LiveBarProps) {
  return html`<div class="live-bar">
    <span class=${`status status-${state === 'live' ? 'good' : 'warn'}`}>${words[state]}</span>
    ${
      (held > 0 || outdated) &&
      html`<button class="button button-quiet" type="button" onClick=${showHeld}>
        ${held > 0 ? `Show ${held} new ${held === 1 ? names[0] : names[1]}` : 'Update the list'}
      </button>`
    }
  </div>`;
}
