import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { send } from '../helpers/http.ts';
import type { Site } from './site.ts';
import { slopeOf, type Point, type Slope } from './slope.ts';

/** What the server held at a time. Memory in MB. */
export interface Sample {
  readonly atMs: number;
  readonly life: number;
  readonly rss: number;
  /** Memory that is not backed by a file: what a leak grows. */
  readonly anonymous: number;
  /** Taken right after the garbage was collected: nearly all of it lives. */
  readonly collected: boolean;
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
  /** Of what is left of it when the garbage is collected. */
  readonly live: Slope | undefined;
  readonly files: Slope | undefined;
}

const mb = 1024 * 1024;

/** Takes a sample; undefined while there is no server. */
export function takeSample(site: Site, collected = false): Sample | undefined {
  const { pid, life, serving, served } = site;
  if (!serving) return undefined;
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const kb = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]);
    const files = readdirSync(`/proc/${pid}/fd`).length;
    const wal = join(served.stateDir, 'store.db-wal');
    return {
      ...{ atMs: Date.now(), life, files, collected },
      ...{ rss: kb('VmRSS') / 1024, anonymous: kb('RssAnon') / 1024 },
      wal: existsSync(wal) ? statSync(wal).size / mb : 0,
    };
  } catch {
    // It ended in between.
    return undefined;
  }
}

/** Has the server collect its garbage and takes a sample when it answers again. */
export async function takeCollected(site: Site): Promise<Sample | undefined> {
  const { pid, life, serving } = site;
  if (!serving) return undefined;
  try {
    process.kill(pid, 'SIGUSR2');
    // The other threads do it at the same time; a second is ten times what it takes.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await send(site.url, '/health');
  } catch {
    return undefined;
  }
  return site.life === life ? takeSample(site, true) : undefined;
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
  const slope = (read: (sample: Sample) => number, of = measured): Slope | undefined =>
    slopeOf(of.map((sample): Point => [sample.atMs, read(sample)]));
  return {
    life: first?.life ?? 0,
    minutes: (end - begin) / 60_000,
    measured: (end - warm) / 60_000,
    peakRss: Math.max(...samples.map(({ rss }) => rss)),
    rss: slope(({ rss }) => rss),
    anonymous: slope(({ anonymous }) => anonymous),
    live: slope(
      ({ anonymous }) => anonymous,
      measured.filter(({ collected }) => collected),
    ),
    files: slope(({ files }) => files),
  };
}
