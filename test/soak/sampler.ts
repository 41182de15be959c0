import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Site } from './site.ts';
import { floorRise, slopeOf, type Point, type Slope } from './slope.ts';

/** What the server held at a time. Memory in MB. */
export interface Sample {
  readonly atMs: number;
  readonly life: number;
  readonly rss: number;
  /** Memory that is not backed by a file: what a leak grows. */
  readonly anonymous: number;
  readonly files: number;
  /** Size of the write-ahead log. */
  readonly wal: number;
}

/** Slopes of one life of the server after its warm-up. */
export interface LifeReport {
  readonly life: number;
  readonly minutes: number;
  /** Minutes that the slopes are of. */
  readonly measured: number;
  readonly peakRss: number;
  readonly rss: Slope | undefined;
  readonly anonymous: Slope | undefined;
  /** MB per hour by which the floor of the memory that is not of files rises. */
  readonly floor: number | undefined;
  readonly files: Slope | undefined;
}

const mb = 1024 * 1024;

/** Takes a sample; undefined while there is no server. */
export function takeSample(site: Site): Sample | undefined {
  const { pid, life, serving, served } = site;
  if (!serving) return undefined;
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const kb = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]);
    const files = readdirSync(`/proc/${pid}/fd`).length;
    const wal = join(served.stateDir, 'store.db-wal');
    return {
      ...{ atMs: Date.now(), life, files },
      ...{ rss: kb('VmRSS') / 1024, anonymous: kb('RssAnon') / 1024 },
      wal: existsSync(wal) ? statSync(wal).size / mb : 0,
    };
  } catch {
    // It ended in between.
    return undefined;
  }
}

/** Fits the slopes of each life; its first third, five minutes at most, is warm-up. */
export function reportLives(samples: readonly Sample[]): readonly LifeReport[] {
  const lives = [...new Set(samples.map(({ life }) => life))];
  return lives.map((life) => reportOf(samples.filter((sample) => sample.life === life)));
}

function reportOf(samples: readonly Sample[]): LifeReport {
  const [first, last] = [samples[0], samples.at(-1)];
  const [begin, end] = [first?.atMs ?? 0, last?.atMs ?? 0];
  const warm = begin + Math.min((end - begin) / 3, 300_000);
  const measured = samples.filter(({ atMs }) => atMs >= warm);
  const slope = (read: (sample: Sample) => number): Slope | undefined =>
    slopeOf(measured.map((sample): Point => [sample.atMs, read(sample)]));
  return {
    life: first?.life ?? 0,
    minutes: (end - begin) / 60_000,
    measured: (end - warm) / 60_000,
    peakRss: Math.max(...samples.map(({ rss }) => rss)),
    rss: slope(({ rss }) => rss),
    anonymous: slope(({ anonymous }) => anonymous),
    floor: floorRise(measured.map(({ atMs, anonymous }): Point => [atMs, anonymous])),
    files: slope(({ files }) => files),
  };
}
