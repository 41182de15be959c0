import { expect } from 'chai';
import { mailOf, type Cluster, type ClusterNode } from '../../helpers/cluster.ts';
import type { PostgresServer } from '../../helpers/postgres.ts';
import { until } from '../../helpers/until.ts';

const count = 20;
const minuteMs = 60_000;

/** Schedules that have a slot each minute; `madeAt` is when the last one was made. */
export interface Schedules {
  readonly ids: readonly string[];
  readonly madeAt: number;
}

interface Slot {
  readonly schedule_id: string;
  readonly planned_at: string;
  readonly outcome: string;
  readonly run_id: string | null;
  readonly status: string | null;
}

/** Makes schedules whose mails have the subjects `slot-0.` and so on. */
export async function makeSchedules(cluster: Cluster): Promise<Schedules> {
  const [node] = cluster.nodes as [ClusterNode];
  const made = await cluster.call(node, 'POST', '/orbisets', { body: { id: 'slots', orbs: ['*'] } });
  expect(made.status, JSON.stringify(made.body)).to.equal(201);
  const ids: string[] = [];
  while (ids.length < count) {
    const body = {
      ...mailOf(subjectOf(ids.length)),
      cron: '* * * * *',
      timezone: 'UTC',
      overlap: 'queue',
      catch_up: 'one',
    };
    const { body: schedule, status } = await cluster.call<{ schedule_id: string }>(
      ...([node, 'POST', '/orbisets/slots/schedules', { body }] as const),
    );
    expect(status, JSON.stringify(schedule)).to.equal(201);
    ids.push(schedule.schedule_id);
  }
  return { ids, madeAt: Date.now() };
}

const subjectOf = (number: number): string => `slot-${number}.`;

/** Pauses all schedules, and resolves when no run of theirs is open. Call it when all nodes serve. */
export async function endSchedules(cluster: Cluster, database: PostgresServer, { ids }: Schedules): Promise<number> {
  const [node] = cluster.nodes as [ClusterNode];
  for (const id of ids)
    expect((await cluster.call(node, 'POST', `/orbisets/slots/schedules/${id}/pause`)).status).to.equal(200);
  const endedAt = Date.now();
  const client = await database.client(cluster.database);
  await until(
    async () => (await client.query("SELECT 1 FROM queue_runs WHERE orbiset_id = 'slots'")).rowCount,
    (open) => open === 0,
    'the runs of the schedules',
    500,
  );
  return endedAt;
}

/** What became of the slots. */
export interface SlotFigures {
  readonly outcomes: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
}

/** Answers which slots did not happen once: by their rows, by the runs and by the mails that came. */
export async function slotFigures(
  cluster: Cluster,
  database: PostgresServer,
  {
    ids,
    madeAt,
    endedAt,
    mails,
  }: Schedules & { readonly endedAt: number; readonly mails: (subject: string) => number },
): Promise<SlotFigures> {
  const client = await database.client(cluster.database);
  const { rows } = await client.query<Slot>(
    `SELECT s.schedule_id, s.planned_at, s.outcome, s.run_id, r.status FROM schedules_slots s
     LEFT JOIN runtime_runs r ON r.run_id = s.run_id WHERE s.schedule_id = ANY($1)`,
    [ids],
  );
  const faults: string[] = [];
  const outcomes: Record<string, number> = {};
  for (const [number, id] of ids.entries()) {
    const own = rows.filter(({ schedule_id }) => schedule_id === id);
    const had = new Map(Map.groupBy(own, ({ planned_at }) => Number(planned_at)));
    for (let at = Math.ceil(madeAt / minuteMs) * minuteMs; at < endedAt - minuteMs; at += minuteMs)
      if (had.get(at)?.length !== 1) faults.push(`${id} has ${had.get(at)?.length ?? 0} slots at ${at}`);
    for (const { outcome, planned_at, status } of own) {
      const how = outcome === 'run' ? (status ?? 'no run') : outcome;
      outcomes[how] = (outcomes[how] ?? 0) + 1;
      if (!['completed', 'indeterminate'].includes(how)) faults.push(`${id} at ${planned_at}: ${how}`);
    }
    const of = (status: string): number => own.filter((slot) => slot.status === status).length;
    const [completed, unknown, came] = [of('completed'), of('indeterminate'), mails(subjectOf(number))];
    if (came < completed || came > completed + unknown)
      faults.push(`${id}: ${came} mails of ${completed} completed and ${unknown} indeterminate runs`);
    if (new Set(own.map(({ run_id }) => run_id)).size !== own.length) faults.push(`${id} has a run twice`);
  }
  return { outcomes, faults };
}
