import { setImmediate as turn } from 'node:timers/promises';
import { PlatformError, reply, type Problem, type Reply } from '../../../kernel/index.ts';
import type { ModelsScope } from '../scope.ts';
import type { RunStream } from '../../runtime/contract.ts';
import type { ChatOutputs, ChatPart } from '../../../providers/llm/contract.ts';
import type { StreamCodec } from '../wire/shape.ts';
import { EventLine } from './event-line.ts';
import { tokenRateOf } from './rates.ts';
import type { DoorRun, RunNotes } from './door-run.ts';
import { orbMember, runHeaders, runOf } from './run.ts';

/** How a door writes a stream. */
export interface StreamForm {
  /** What keeps the connection open. */
  readonly keepalive: string;
  /** Makes what writes the events of one run. */
  readonly codec: (runId: string) => StreamCodec;
  /** Writes the event of a failure after which the connection is cut. */
  readonly failure: (problem: Problem) => string;
}

/**
 * Answers with the stream of a run. Until the first part, or the first keepalive, a failure throws its problem, so that it
 * has its real status; the last event leaves when the receipt is durable.
 */
export async function streamed(run: DoorRun, form: StreamForm, scope: ModelsScope): Promise<Reply> {
  const { asking } = run;
  const { keepalive, failure } = form;
  const line = new EventLine({ keepalive, keepaliveMs: scope.keepaliveMs });
  const notes: RunNotes = {};
  const begun = Promise.withResolvers<void>();
  let codec: StreamCodec | undefined;
  let isBegun = false;
  const stream: RunStream = {
    started: (told) => void Object.assign(notes, told),
    emit(part) {
      codec ??= form.codec(notes.run_id ?? '');
      // The adapters of the capability emit parts of this shape.
      const text = codec.part(part as unknown as ChatPart);
      const waits = line.push(text);
      if (text === '' || isBegun) return waits;
      isBegun = true;
      begun.resolve();
      // The first part leaves before the next ones are read.
      return waits ?? turn();
    },
  };
  const done = runOf(run, notes, scope, stream).then((result) => {
    codec ??= form.codec(result.run_id);
    line.end(codec.end(result.outputs as unknown as ChatOutputs, orbMember(result, notes)));
  });
  let timer: NodeJS.Timeout | undefined;
  const quiet = new Promise<'quiet'>((resolve) => (timer = setTimeout(resolve, scope.keepaliveMs, 'quiet')));
  const first = await Promise.race([done, begun.promise, quiet]).finally(() => clearTimeout(timer));
  if (first === 'quiet') void line.push(keepalive);
  done.catch((error: unknown) => line.cut(failure(problemOf(error, asking.request_id, scope))));
  asking.addHeaders(await tokenRateOf(run, notes, scope));
  return reply({
    type: 'text/event-stream',
    // A proxy that compresses or collects the stream would hold its events back (RFC 9111, 5.2.2.6).
    headers: { 'Cache-Control': 'no-store, no-transform', 'X-Accel-Buffering': 'no', ...runHeaders(asking, notes) },
    stream: line.read(),
  });
}

function problemOf(error: unknown, request_id: string, { log, platform }: ModelsScope): Problem {
  if (error instanceof PlatformError) return platform.problemOf(error, request_id);
  log.error({ err: error, request_id }, 'a stream of a model failed unexpectedly');
  return platform.problemOf(new PlatformError('internal'), request_id);
}
