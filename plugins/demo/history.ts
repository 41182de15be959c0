import { setTimeout as pause } from 'node:timers/promises';
import { flows, type Flow } from './cast.ts';
import type { Episode } from './episodes/episode.ts';
import { approvalEpisodes } from './episodes/approvals.ts';
import { marketEpisodes } from './episodes/market.ts';
import { outageEpisodes } from './episodes/outage.ts';
import { execute } from './execute.ts';
import { dayMs, type Stage } from './stage.ts';

const hourMs = 3_600_000;
const stepMs = hourMs / 2;
const minuteMs = 60_000;

/** How far the history is: called after each of its days. */
type Told = (done: number, of: number) => void;

/** Makes the history, one moment after the other; `ended`: true ends it early. */
export async function makeHistory(stage: Stage, told: Told, ended: () => boolean): Promise<void> {
  const { begin, end, time } = stage;
  const special = [...marketEpisodes(stage), ...outageEpisodes(stage), ...(stage.compiles ? approvalEpisodes(stage) : [])];
  for (let day = begin; day < end; day += dayMs) {
    const until = Math.min(day + dayMs, end);
    const ofDay = [...stepsOf(stage, day, until), ...callsOf(stage, day), ...special]
      .filter(({ at }) => at >= day && at < until)
      .sort((one, other) => one.at - other.at);
    for (const { at, work } of ofDay) {
      if (ended()) return;
      time.move(at);
      await work();
    }
    told(until - begin, end - begin);
  }
  time.pass(end);
  await quiet(stage);
}

// Every half an hour the timers of the server run: schedules, heartbeats, callbacks that are due, snapshots.
function stepsOf(stage: Stage, day: number, until: number): readonly Episode[] {
  const steps: Episode[] = [];
  for (let at = day; at < until; at += stepMs)
    steps.push({
      at,
      async work() {
        stage.time.pass(at);
        await quiet(stage);
      },
    });
  return steps;
}

// What the timers began goes on meanwhile: it is given a few turns, and all the time that calls of vendors take.
async function quiet({ vendors }: Stage): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  while (vendors.isBusy()) await pause(1);
}

function callsOf(stage: Stage, day: number): readonly Episode[] {
  const { chance } = stage;
  const isWeekend = [0, 6].includes(new Date(day).getUTCDay());
  return flows.flatMap((flow) => {
    const { perDay, weekend = 0.6 } = flow;
    const wanted = (isWeekend ? weekend : 1) * perDay * (perDay > 2 ? 0.8 + 0.4 * chance.next() : 1);
    // Of less than one call a day, some days have one.
    const count = Math.floor(wanted) + (chance.next() < wanted % 1 ? 1 : 0);
    return Array.from({ length: count }, () => ({ at: day + timeOfDay(stage), work: () => called(stage, flow) }));
  });
}

// Most calls come between seven and nineteen o'clock.
function timeOfDay({ chance }: Stage): number {
  const hour = 7 + 6 * (chance.next() + chance.next());
  return Math.floor(hour * hourMs + chance.next() * minuteMs);
}

async function called(stage: Stage, flow: Flow): Promise<void> {
  const { chance, vendors } = stage;
  const { fails, inputs, orb } = flow;
  if (fails !== undefined && chance.next() < 1 / fails.oneIn) vendors.failNext(fails.vendor, fails.how);
  await execute(stage, flow, { orb_id: orb, inputs: inputs(chance, vendors.urls) });
}
