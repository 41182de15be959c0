import { reply, type OtherAnswer, type Reply } from '../../http/route.ts';
import { exactly } from '../../tools/schema.ts';
import { replayed } from '../journal/answer.ts';
import { runSchema, waiting } from '../run/run-routes.ts';
import type { Asked } from './asked.ts';
import type { RunQueue, Submitted } from './queue.ts';
import { timesOf } from './run-state.ts';
import type { QueuedRow } from './store.ts';

const queuedRun = exactly('QueuedRun', {
  run_id: runSchema.properties.run_id,
  status: { enum: ['queued', 'running'], description: 'It waits, or is under way' },
  ...waiting,
  links: {
    ...exactly('RunLinks', { self: { type: 'string' }, cancel: { type: 'string' } }),
    description: 'Paths: what shows it, and what cancels it by POST',
  },
});

/** The answer to a run that was put into the queue. */
export const queuedAnswer: OtherAnswer = {
  description: 'The run waits for its turn',
  type: 'application/json',
  schema: queuedRun,
  sends: { Location: true, 'Preference-Applied': true, 'Retry-After': true },
};

const longestRetryS = 3600;

/** Answers a run that was put into the queue, or has ended already. */
export function submittedReply(submitted: Submitted, { applied }: Asked, queue: RunQueue): Reply {
  const preference = { 'Preference-Applied': applied };
  if ('answer' in submitted)
    return reply({ body: submitted.answer, headers: { ...preference, ...(submitted.replayed ? replayed : {}) } });
  const { run, position } = submitted;
  const waitsS = Math.ceil((run.run_at - run.accepted_at) / 1000);
  const retry = String(Math.min(longestRetryS, Math.max(1, waitsS)));
  return reply({
    status: 202,
    headers: { Location: pathOf(run), ...preference, 'Retry-After': retry },
    body: shownRun(run, position, queue),
  });
}

const pathOf = ({ run_id }: QueuedRow): string => `/runs/${run_id}`;

function shownRun(run: QueuedRow, known: number | undefined, queue: RunQueue): object {
  const running = queue.isUnderWay(run);
  return {
    run_id: run.run_id,
    status: running ? 'running' : 'queued',
    ...(running ? {} : { position: Math.min(1000, Math.max(1, known ?? queue.position(run))) }),
    ...timesOf(run),
    links: { self: pathOf(run), cancel: `${pathOf(run)}/cancel` },
  };
}
