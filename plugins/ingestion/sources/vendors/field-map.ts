import { labelsOf, meaning, tableOf, text, time } from './read.ts';
import type { Draft } from './vendor.ts';
import type { SignalState } from '../../signals/words.ts';
import type { FieldMap } from '../settings/schema.ts';

const words = tableOf<SignalState>({
  firing: ['firing', 'alerting', 'triggered', 'open', 'opened', 'down', 'problem', 'failed', 'failing'],
  acknowledged: ['acknowledged', 'acked'],
  resolved: ['resolved', 'ok', 'closed', 'recovered', 'up', 'normal', 'fixed'],
  suppressed: ['suppressed', 'muted', 'silenced', 'maintenance', 'paused'],
  unknown: ['unknown', 'no_data', 'pending'],
});

/** Default fields of the alert in an envelope with `type` and `data`. */
export const alertInData: FieldMap = {
  type: '/type',
  episode: '/data/id',
  state: '/data/state',
  severity: '/data/severity',
  title: '/data/title',
  url: '/data/url',
  labels: '/data/labels',
};

/** Makes a draft from a payload with JSON pointers: those of the source, else `defaults`. */
export function mappedDraft(payload: unknown, map: FieldMap, defaults: FieldMap): Draft {
  const read = (name: Exclude<keyof FieldMap, 'states'>): string | undefined =>
    text(payload, ...stepsOf(map[name] ?? defaults[name]));
  const kind = read('type') ?? 'event';
  const word = read('state');
  const title = read('title') ?? kind;
  return {
    type: word === undefined ? 'orb.signal.change' : 'orb.signal.alert',
    vendor_type: kind,
    occurred_at: time(payload, ...stepsOf(map.time ?? defaults.time)),
    state: stateOf(word, map.states),
    severity_text: read('severity'),
    title,
    url: read('url'),
    episode_key: `episode:${read('episode') ?? title}`,
    labels: labelsOf(payload, ...stepsOf(map.labels ?? defaults.labels)),
  };
}

function stateOf(word: string | undefined, own: FieldMap['states'] = {}): SignalState {
  if (word === undefined) return 'info';
  return meaning(own, word) ?? meaning(words, word.toLowerCase()) ?? 'info';
}

// Steps for a missing pointer: they must find nothing.
const nowhere = ['', '', ''];

/** Splits a JSON pointer (RFC 6901) into steps. */
export function stepsOf(pointer: string | undefined): readonly string[] {
  if (pointer === undefined) return nowhere;
  if (pointer === '') return [];
  return pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
