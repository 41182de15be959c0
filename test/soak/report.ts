import type { Book } from './book.ts';
import { reportLives, type LifeReport, type Sample } from './sampler.ts';
import type { Settings } from './settings.ts';
import type { Site } from './site.ts';
import type { Slope } from './slope.ts';
import type { SoakReport } from './soak.ts';
import type { Row } from './table.ts';

// A slope over less than this is the noise of a heap that grows to its size.
const leastMinutes = 8;
// At 90 000 runs an hour, little more than a kilobyte that each leaves behind.
const mostMbPerHour = 128;
const mostFilesPerHour = 60;
const mostWalMb = 64;

/** Puts the figures of a soak together and says whether all held. */
export function reportSoak(from: {
  readonly site: Site;
  readonly book: Book;
  readonly samples: readonly Sample[];
  readonly checks: readonly Row[];
  readonly settings: Settings;
}): SoakReport {
  const { site, book, samples, checks, settings } = from;
  const rows: readonly Row[] = [
    { what: 'minutes', figure: (settings.lengthMs / 60_000).toFixed(1) },
    {
      what: 'restarts',
      figure: `${book.counted('SIGTERM')} SIGTERM, ${book.counted('SIGKILL')} SIGKILL, longest start ${site.longestStartMs} ms`,
    },
    { what: 'answers', figure: `${book.counted('answers')}, ${restartsExplain(book)}` },
    {
      what: 'policy edits',
      figure: `${book.counted('active policies')} good, ${book.counted('broken policies')} broken`,
    },
    { what: 'swaps, rollbacks', figure: `${book.counted('swaps')}, ${book.counted('rollbacks')}` },
    { what: 'publications', figure: String(book.counted('publications')) },
    { what: 'receipts verified by the API', figure: String(book.counted('verified by the API')) },
    {
      what: '5xx that nothing explains',
      figure: String(book.counted('wrong 5xx')),
      held: book.counted('wrong 5xx') === 0,
    },
    { what: 'faults seen by the load', figure: String(book.faultCount), held: book.faultCount === 0 },
    ...checks,
    ...memoryRows(samples),
  ];
  return { rows, faults: book.faults, held: rows.every(({ held }) => held !== false) };
}

function memoryRows(samples: readonly Sample[]): readonly Row[] {
  if (samples.length === 0) return [{ what: 'memory and files', figure: 'not measured: there is no /proc here' }];
  const lives = reportLives(samples);
  const wal = Math.max(...samples.map((sample) => sample.wal));
  return [
    ...lives.flatMap(lifeRows),
    { what: 'peak RSS', figure: `${Math.max(...lives.map(({ peakRss }) => peakRss)).toFixed(0)} MB` },
    { what: 'largest write-ahead log', figure: `${wal.toFixed(1)} MB`, held: wal <= mostWalMb },
  ];
}

function restartsExplain(book: Book): string {
  const names = ['broken by a restart', '503 around a restart', 'policy_unavailable', 'runs ended by a crash'];
  return names.map((name) => `${book.counted(name)} ${name}`).join(', ');
}

function lifeRows({ life, minutes, measured, peakRss, rss, anonymous, live, files }: LifeReport): readonly Row[] {
  const name = `life ${life + 1} (${minutes.toFixed(1)} min)`;
  const judged = measured >= leastMinutes;
  return [
    {
      what: `${name}: RSS`,
      figure: `${perHour(rss)} MB/h, not of files ${perHour(anonymous)} MB/h, of these living ${perHour(live)} MB/h, peak ${peakRss.toFixed(0)} MB`,
      ...(judged ? { held: live !== undefined && live.perHour <= mostMbPerHour } : {}),
    },
    {
      what: `${name}: open files`,
      figure: `${perHour(files)} per h`,
      ...(judged ? { held: surely(files) <= mostFilesPerHour } : {}),
    },
  ];
}

/** The rise that is there with some certainty: two standard errors less than was fitted. */
function surely(slope: Slope | undefined): number {
  return slope === undefined ? 0 : slope.perHour - 2 * slope.error;
}

function perHour(slope: Slope | undefined): string {
  return slope === undefined ? 'unknown' : `${slope.perHour.toFixed(0)} ± ${(2 * slope.error).toFixed(0)}`;
}
