import { html } from '../frame/html.ts';

type Tone = 'good' | 'warn' | 'bad' | 'none';

const tones: Readonly<Record<string, Tone>> = {
  ...tonesOf(
    'good',
    'completed approved up active closed stable processed resolved accepted published ok pass verified delivered read',
  ),
  ...tonesOf('warn', 'queued held running draining degraded half_open indeterminate switching throttled investigating'),
  ...tonesOf('warn', 'identified monitoring not_checked pending sandbox probing opening validating unknown'),
  ...tonesOf(
    'bad',
    'failed timed_out denied refused down open dead suspended revoked rejected fail expired provider_fault',
  ),
  ...tonesOf('bad', 'undelivered rejected_later'),
};

function tonesOf(tone: Tone, names: string): Readonly<Record<string, Tone>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, tone]));
}

/** Shows a state as a word with a mark; the tone follows from the word unless given. */
export function Status({ of, tone = tones[of] ?? 'none' }: { readonly of: string; readonly tone?: Tone }) {
  return html`<span class=${`status status-${tone}`}>${of.replaceAll('_', ' ')}</span>`;
}
