import { replayed } from '../journal/answer.ts';
import { runSchema } from '../run/run-routes.ts';
import type { Asked } from './asked.ts';
import type { RunQueue, Submitted } from './queue.ts';
import { queuedState } from './run-state.ts';
import { reply, type OtherAnswer, type Reply } from '../../../kernel/index.ts';

/** The answer to a run that was put into the queue. */
export const queuedAnswer: OtherAnswer = {
  description: 'The run is queued',
  type: 'application/json',
  schema: runSchema,
  sends: { Location: true, 'Preference-Applied': true, 'Retry-After': true },
};

const longestRetryS = 3600;

/** Answers a run that was put into the queue, or has ended already. */
export async function submittedReply(submitted: Submitted, { applied }: Asked, queue: RunQueue): Promise<Reply> {
  const preference = { 'Preference-Applied': applied };
  if ('answer' in submitted)
    return reply({ body: submitted.answer, headers: { ...preference, ...(submitted.replayed ? replayed : {}) } });
  const { run, position } = submitted;
  const waitsS = Math.ceil((run.run_at - run.accepted_at) / 1000);
  const retry = String(Math.min(longestRetryS, Math.max(1, waitsS)));
  return reply({
    status: 202,
    headers: { Location: `/runs/${run.run_id}`, ...preference, 'Retry-After': retry },
    body: await queuedState(run, queue, position),
  });
}
