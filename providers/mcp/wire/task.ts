import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { isObject, plain, type ToolResult } from './text.ts';

/** The extension by which a server answers with a task, whose result is asked for later (SEP-2663). */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

const least = 100;
const longest = 10_000;
const usual = 1000;
// A poll has no effect: one that fails is made again.
const mostFailures = 5;
const cancelMs = 2000;

/** A task as a server described it. */
interface Task {
  readonly id: string;
  readonly pollMs: number;
}

/** Thrown for a task that ended without a result, or was lost; never the failure of the call itself. */
export class TaskEnded extends Error {
  readonly status: string;

  constructor(status: string) {
    super(`the task ended with status ${status}`);
    this.name = 'TaskEnded';
    this.status = status;
  }
}

/** Sends a request of the extension; a server's refusal is a status of the task. */
export type AskTask = (method: 'tasks/get' | 'tasks/cancel', taskId: string, signal: AbortSignal) => Promise<unknown>;

/** Hands results past the client library, which refuses tasks, and results with blocks of a kind that it does not know. */
export class TaskResults {
  // No server can guess it.
  readonly #mark = `agent-orb/task/${randomUUID()}`;

  /** Makes the result of a call one that the library lets pass: a task, or content of any kind. */
  veil(result: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const { resultType = 'complete', content } = result;
    const isResult = resultType === 'complete' && Array.isArray(content);
    if (!isResult && resultType !== 'task') return result;
    return { resultType: 'complete', content: [], _meta: { [this.#mark]: result } };
  }

  /** Resolves to the result of a call: its own, or that of its task. Throws TaskEnded. */
  async resultOf(result: ToolResult, ask: AskTask, signal: AbortSignal): Promise<ToolResult> {
    const meta = result['_meta'];
    const given = isObject(meta) ? meta[this.#mark] : undefined;
    if (!isObject(given)) return result;
    if (given['resultType'] !== 'task') return given;
    const task = read(given);
    try {
      return await followed(task, ask, signal);
    } catch (error) {
      // The server may still act on it, whatever became of our questions.
      ask('tasks/cancel', task.id, AbortSignal.timeout(cancelMs)).catch(() => undefined);
      throw error;
    }
  }
}

function read(given: unknown): Task {
  const { taskId, pollIntervalMs } = isObject(given) ? given : {};
  if (typeof taskId !== 'string' || taskId === '' || taskId.length > 256) throw new TaskEnded('nameless');
  const asked = typeof pollIntervalMs === 'number' && Number.isFinite(pollIntervalMs) ? pollIntervalMs : usual;
  return { id: taskId, pollMs: Math.min(longest, Math.max(least, asked)) };
}

async function followed({ id, pollMs }: Task, ask: AskTask, signal: AbortSignal): Promise<ToolResult> {
  let failures = 0;
  for (;;) {
    await pause(pollMs, undefined, { signal });
    const answer = await ask('tasks/get', id, signal).catch(() => {
      failures += 1;
      if (signal.aborted || failures >= mostFailures) throw new TaskEnded('lost');
      return undefined;
    });
    if (answer === undefined) continue;
    failures = 0;
    const { status, result } = isObject(answer) ? answer : {};
    if (status === 'working' || status === 'submitted') continue;
    if (status === 'completed' && isObject(result)) return result;
    throw new TaskEnded(plain(String(status)));
  }
}
