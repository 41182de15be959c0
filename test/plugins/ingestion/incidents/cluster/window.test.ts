import { expect } from 'chai';
import { placeEpisodes, type Window } from '../../../../../plugins/ingestion/incidents/cluster/window.ts';
import type { Episode } from '../../../../../plugins/ingestion/incidents/cluster/episode.ts';
import { episode } from './events.ts';

const mail = { kind: 'provider', id: 'smtp-main' } as const;
const echo = { kind: 'orb', id: 'demo.echo@1.0.0' } as const;
const on = { scope: [mail] };
const window = (from: number, to: number, scope: Window['scope'] = [mail]): Window => ({
  ...{ maintenance_id: 'mnt_1', scope, starts_ms: from * 1000, ends_ms: to * 1000 },
});

interface Row {
  readonly name: string;
  readonly one: Episode;
  readonly windows?: readonly Window[];
  /** Seconds; 50 by default. */
  readonly now?: number;
  /** `<start>-<end>` of what is placed, then ` due <second>`. */
  readonly expected: string;
}

const lasting = { for_s: 20 };
const rows: readonly Row[] = [
  { name: 'is placed as it is', one: episode(10, 20, on), expected: '10-20' },
  { name: 'is due when it says so', one: episode(10, undefined, { ...on, due_ms: 90_000 }), expected: '10- due 90' },
  { name: 'must last before it opens', one: episode(40, undefined, on, lasting), expected: ' due 60' },
  { name: 'opens when it has lasted', one: episode(30, undefined, on, lasting), expected: '30-' },
  { name: 'never opens when it was too short', one: episode(10, 29, on, lasting), expected: '' },
  { name: 'opens when it lasted just long enough', one: episode(10, 30, on, lasting), expected: '10-30' },
  {
    name: 'is due first when it would expire before it opens',
    one: episode(40, undefined, { ...on, due_ms: 55_000 }, lasting),
    expected: ' due 55',
  },
  { name: 'opens at its start though that is later than now', one: episode(60, undefined, on), expected: '60-' },
  { name: 'is dropped when it ends in a window', one: episode(10, 20, on), windows: [window(5, 30)], expected: '' },
  { name: 'is dropped when it ends with the window', one: episode(10, 30, on), windows: [window(5, 30)], expected: '' },
  {
    name: 'begins with the end of the window when it outlasts it',
    one: episode(10, 31, on),
    windows: [window(5, 30)],
    expected: '30-31',
  },
  {
    name: 'begins with the end of a window that began at its start',
    one: episode(10, 31, on),
    windows: [window(10, 30)],
    expected: '30-31',
  },
  {
    name: 'is not changed by a window that ended at its start',
    one: episode(10, 31, on),
    windows: [window(5, 10)],
    expected: '10-31',
  },
  {
    name: 'is not changed by a window that begins after it',
    one: episode(10, 31, on),
    windows: [window(11, 30)],
    expected: '10-31',
  },
  {
    name: 'begins after windows that follow each other',
    one: episode(10, undefined, on),
    windows: [window(20, 40), window(5, 20)],
    expected: '40-',
  },
  {
    name: 'waits for the end of a window',
    one: episode(10, undefined, on),
    windows: [window(5, 60)],
    expected: ' due 60',
  },
  { name: 'opens when the window ends', one: episode(10, undefined, on), windows: [window(5, 50)], expected: '50-' },
  {
    name: 'must last from the end of the window',
    one: episode(10, undefined, on, lasting),
    windows: [window(5, 40)],
    expected: ' due 60',
  },
  {
    name: 'is not changed by a window of another subject',
    one: episode(10, 20, on),
    windows: [window(5, 30, [echo])],
    expected: '10-20',
  },
  {
    name: 'is not changed by a window of a subject of another kind',
    one: episode(10, 20, on),
    windows: [window(5, 30, [{ kind: 'component', id: 'smtp-main' }])],
    expected: '10-20',
  },
  {
    name: 'is not changed by a window of one of its subjects',
    one: episode(10, 20, { scope: [mail, echo] }),
    windows: [window(5, 30)],
    expected: '10-20',
  },
  {
    name: 'is changed by a window of all its subjects',
    one: episode(10, 20, { scope: [mail, echo] }),
    windows: [window(5, 30, [echo, mail])],
    expected: '',
  },
  {
    name: 'of no subject is not changed by a window',
    one: episode(10, 20),
    windows: [window(5, 30)],
    expected: '10-20',
  },
  {
    name: 'that was measured is changed by a window',
    one: episode(10, 20, { ...on, key: 'measured:k' }),
    windows: [window(5, 30)],
    expected: '',
  },
  {
    name: 'of an operator takes effect at once',
    one: episode(10, 20, { ...on, key: 'operator:k' }),
    windows: [window(5, 30)],
    expected: '10-20',
  },
];

describe('placing an episode', () => {
  for (const { name, one, windows = [], now = 50, expected } of rows)
    it(`it ${name}`, () => {
      const { episodes, due_ms } = placeEpisodes([one], windows, now * 1000);
      const second = (ms: number | undefined): string => (ms === undefined ? '' : String(ms / 1000));
      const shown = episodes.map(({ starts_ms, ends_ms }) => `${second(starts_ms)}-${second(ends_ms)}`);
      expect([...shown, ...(due_ms === undefined ? [] : [` due ${second(due_ms)}`])].join('')).to.equal(expected);
    });

  it('keeps an episode that lasts no time', () => {
    expect(placeEpisodes([episode(10, 10, on)], [], 50_000).episodes).to.have.length(1);
  });
});
