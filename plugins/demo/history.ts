import { setTimeout as pause } from 'node:timers/promises';
import { flows, modelCalls, watch, type Flow } from './cast.ts';
import type { Episode } from './episodes/episode.ts';
import { approvalEpisodes } from './episodes/approvals.ts';
import { marketEpisodes } from './episodes/market.ts';
import { outageEpisodes } from './episodes/outage.ts';
import { execute, idle } from './execute.ts';
import { scheduleHours } from './episodes/market.ts';
import { dayMs, type Stage } from './stage.ts';

const hourMs = 3_600_000;
const minuteMs = 60_000;

/** How far the history is: called after each of its days. */
type Told = (done: number, of: number) => void;

/** Makes the history, one moment after the other; `ended`: true ends it early. */
export async function makeHistory(stage: Stage, told: Told, ended: () => boolean): Promise<void> {
  const { begin, end, time } = stage;
  const special = [
    ...marketEpisodes(stage),
    ...outageEpisodes(stage),
    ...(stage.compiles ? approvalEpisodes(stage) : []),
  ].map(({ at, work }): Episode => ({ at, work: () => work().then(() => idle(stage)) }));
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
  await spendOfNow(stage);
  await idle(stage);
}

// Budgets are listed from the first call in their window: at night, and early in a month, the history has none.
async function spendOfNow(stage: Stage): Promise<void> {
  const { budgets } = await stage.api<{ readonly budgets: readonly object[] }>('GET', '/budgets?scope=key&limit=1');
  if (budgets.length === 0) await called(stage, modelCalls);
}

// Every hour the timers of the server run: schedules, heartbeats, callbacks that are due, snapshots. The writes of the
// server keep their order, so a run that has ended after them says that what the timers wrote is stored.
function stepsOf(stage: Stage, day: number, until: number): readonly Episode[] {
  const steps: Episode[] = [];
  for (let at = day; at < until; at += hourMs)
    steps.push({
      at,
      async work() {
        stage.time.pass(at);
        if (scheduleHours.includes(new Date(at).getUTCHours())) await scheduled(stage);
        await called(stage, watch);
      },
    });
  return steps;
}

interface Schedule {
  readonly next_at?: string;
}

// Waits until the slots of now have become runs, and these have ended.
async function scheduled(stage: Stage): Promise<void> {
  const { api, time } = stage;
  for (const orbiset of ['shop', 'default']) {
    const due = async (): Promise<boolean> => {
      const { schedules } = await api<{ readonly schedules: readonly Schedule[] }>(
        'GET',
        `/orbisets/${orbiset}/schedules`,
      );
      return schedules.some(({ next_at }) => next_at !== undefined && Date.parse(next_at) <= time.now());
    };
    while (await due()) await pause(2);
  }
  await idle(stage);
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
  const { chance, made, vendors } = stage;
  const { fails, inputs, orb } = flow;
  const before = made.get(flow) ?? 0;
  made.set(flow, before + 1);
  if (fails !== undefined && before % fails.oneIn === Math.floor(fails.oneIn / 2))
    vendors.failNext(fails.vendor, fails.how, fails.times);
  const done = await execute(stage, flow, { orb_id: orb, inputs: inputs(chance, vendors.urls) });
  // A provider that fails is told of, by runs of their own.
  if (!done || vendors.isTroubled()) await idle(stage);
}
