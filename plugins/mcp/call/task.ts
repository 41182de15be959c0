import type { PlatformError, Problem } from '../../../kernel/index.ts';
import { codes, type Members } from '../wire/wire.ts';
import { wordsOf, type ToldProblem } from './words.ts';

const dayMs = 86_400_000;

/** The members of a task that each answer names; its answer is kept for a day after its end. */
export function taskOf(runId: string, status: TaskStatus, updated?: string) {
  const createdAt = timeOf(runId);
  return {
    ...{ taskId: runId, status, createdAt, lastUpdatedAt: updated ?? createdAt },
    ...{ ttlMs: dayMs, pollIntervalMs: 1000 },
  };
}

/** How far a task is; `input_required`: people must approve its run. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'cancelled' | 'failed';

// An answer that breaks the tool's own schema is no result of the tool, as is a defect, or an error of the protocol.
const broken: ReadonlySet<string> = new Set(['internal', 'invalid_outputs']);

/** Says how a task ended whose run did not complete: a failure of its work is a result. */
export function endOf({ code, extensions }: PlatformError): Exclude<TaskStatus, 'working' | 'input_required'> {
  if (code === 'run_cancelled') return 'cancelled';
  return broken.has(code) || extensions.phase === 'protocol' ? 'failed' : 'completed';
}

/** Makes the error of a task whose tool gave no result. */
export function taskError({ body }: Problem): Members {
  return { code: codes.internal, message: wordsOf(body as ToldProblem), data: body };
}

const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

// The id of a run is a ULID, which begins with its time.
function timeOf(runId: string): string {
  const time = runId.slice(runId.indexOf('_') + 1).slice(0, 10);
  return new Date([...time].reduce((sum, digit) => sum * 32 + Math.max(0, digits.indexOf(digit)), 0)).toISOString();
}
