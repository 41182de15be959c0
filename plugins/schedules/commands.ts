import { readFileSync } from 'node:fs';
import { given, parseJson, type Command } from '../../kernel/index.ts';
import { apiCommand, listing, pageOptions, record, type Shown, optionsOf } from '../terminal/contract.ts';
import { scheduleDefaults, type Schedule, type ScheduleRun } from './schema.ts';

const orbiset = { name: 'orbiset', description: 'Id of the Orbiset' };
const schedule = { name: 'schedule_id', description: 'sch_…, as `orb schedules list` shows it' };
const one = '/orbisets/{id}/schedules/{schedule_id}';

const pattern = 'minute, hour, day, month, weekday, e.g. "30 8 * * MON-FRI"';
const zone = 'IANA time zone of the pattern';
const overlapping = 'skip or queue, if the previous run has not ended';
const catchingUp = 'none or one, after missed slots';
const until = { description: 'last possible slot: 30d, 2030-01-31 (UTC) or RFC 3339', time: 'future' } as const;

/** All commands of schedules. */
export const scheduleCommands: readonly Command[] = [
  apiCommand<Schedule>({
    path: 'schedules create',
    summary: 'run an Orb on a schedule',
    args: [orbiset, { name: 'orb_id', description: 'the Orb to run' }],
    options: optionsOf({
      '--cron <pattern>': pattern,
      '--timezone <zone>': { description: zone, default: scheduleDefaults.timezone },
      '--inputs <file>': 'file with the inputs as JSON; default: {}',
      '--overlap <rule>': { description: overlapping, default: scheduleDefaults.overlap },
      '--catch-up <rule>': { description: catchingUp, default: scheduleDefaults.catch_up },
      '--until <time>': until,
    }),
    route: 'POST /orbisets/{id}/schedules',
    body: ({ args: [, orb_id], options: { cron, timezone, inputs, overlap, catchUp: catch_up, until } }) =>
      given({ orb_id, cron, timezone, inputs: inputsOf(inputs), overlap, catch_up, until }),
    show: shown,
  }),
  apiCommand<{ schedules: readonly Schedule[] }>({
    path: 'schedules list',
    summary: 'list the schedules of an Orbiset, newest first',
    args: [orbiset],
    options: pageOptions,
    route: 'GET /orbisets/{id}/schedules',
    show: ({ schedules }) =>
      listing(
        ['SCHEDULE_ID', 'ORB', 'CRON', 'TIMEZONE', 'STATE', 'NEXT'],
        schedules.map(({ schedule_id, orb_id, cron, timezone, state, next_at, reason }) => [
          ...[schedule_id, orb_id, cron, timezone, reason === undefined ? state : `${state}: ${reason}`],
          next_at ?? '–',
        ]),
      ),
  }),
  shownBy('show', 'show a schedule', `GET ${one}`),
  apiCommand<{ runs: readonly ScheduleRun[] }>({
    path: 'schedules runs',
    summary: 'list the slots of a schedule and their runs, newest first',
    args: [orbiset, schedule],
    options: pageOptions,
    route: `GET ${one}/runs`,
    show: ({ runs }) =>
      listing(
        ['PLANNED', 'OUTCOME', 'RUN', 'STATUS'],
        runs.map(({ planned_at, outcome, run_id, status, code }) => [
          ...[planned_at, outcome, run_id ?? '–', status ?? code ?? '–'],
        ]),
      ),
  }),
  apiCommand<Schedule>({
    path: 'schedules update',
    summary: 'update the times, the rules or the inputs of a schedule',
    args: [orbiset, schedule],
    options: optionsOf({
      '--cron <pattern>': pattern,
      '--timezone <zone>': zone,
      '--inputs <file>': 'file with new inputs as JSON; the schedule then takes your key',
      '--overlap <rule>': overlapping,
      '--catch-up <rule>': catchingUp,
      '--until <time>': until,
      '--endless': 'no last slot any more',
    }),
    route: `PATCH ${one}`,
    body: ({ options: { cron, timezone, inputs, overlap, catchUp: catch_up, until: end, endless } }) =>
      given({
        ...{ cron, timezone, overlap, catch_up, until: endless === true ? null : end },
        inputs: inputs === undefined ? undefined : inputsOf(inputs),
      }),
    show: shown,
  }),
  apiCommand<{ readonly run_id: string }>({
    path: 'schedules run',
    summary: 'run a schedule once now, with its inputs and its key',
    args: [orbiset, schedule],
    route: `POST ${one}/run`,
    show: ({ run_id }) => `${run_id} is queued`,
  }),
  shownBy('pause', 'pause a schedule; runs that it already started continue', `POST ${one}/pause`),
  shownBy('resume', 'resume a paused schedule; if its key no longer exists, it takes yours', `POST ${one}/resume`),
  apiCommand({
    path: 'schedules delete',
    summary: 'delete a schedule with its inputs',
    confirm: 'the schedule and its inputs are deleted',
    args: [orbiset, schedule],
    route: `DELETE ${one}`,
    value: ({ args: [, schedule_id] }) => ({ schedule_id, deleted: true }),
    show: (_, { args: [, id = ''] }) => `${id} is deleted`,
  }),
];

function inputsOf(file: unknown): unknown {
  return typeof file === 'string' ? parseJson(readFileSync(file, 'utf8')) : {};
}

// A command that shows what has become of one schedule.
function shownBy(verb: string, summary: string, route: string): Command {
  return apiCommand<Schedule>({ path: `schedules ${verb}`, summary, args: [orbiset, schedule], route, show: shown });
}

function shown({ schedule_id, orb_id, cron, timezone, overlap, catch_up, state, ...times }: Schedule): Shown {
  const { reason, next_at, until } = times;
  return record([
    ['schedule_id', schedule_id],
    ['orb', orb_id],
    ['cron', `${cron} (${timezone})`],
    ['overlap', overlap],
    ['catch_up', catch_up],
    ['state', reason === undefined ? state : `${state}: ${reason}`],
    ['next', next_at ?? '–'],
    ['until', until ?? '–'],
  ]);
}
