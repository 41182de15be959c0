import type { Call } from '../../frame/api.ts';
import type { ProblemBody } from '../../frame/problem.ts';
import { answered } from '../../frame/api.ts';
import { ApiProblem } from '../../frame/problem.ts';

/** What a stream of a chat completion tells of its call. */
export interface Told {
  readonly run_id?: string;
  readonly receipt_id?: string;
  readonly cost?: { readonly amount_nanos: number; readonly currency: string };
  /** The model that answered, by the word of its vendor. */
  readonly model?: string;
  readonly finish?: string;
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number };
}

/** What a reader of a stream is told. */
export interface Listener {
  text(piece: string): void;
  /** More of what is known of the call. */
  told(more: Told): void;
}

interface Delta {
  readonly content?: string | null;
  readonly refusal?: string | null;
}

interface Chunk {
  readonly choices?: readonly { readonly delta?: Delta; readonly finish_reason?: string | null }[];
  readonly model?: string;
  readonly usage?: Told['usage'] | null;
  readonly orb?: Pick<Told, 'run_id' | 'receipt_id' | 'cost'>;
  readonly error?: ProblemBody['error'];
}

/**
 * Asks a model and reads its stream to the end. Throws an ApiProblem when it is refused, fails or breaks off: an answer is
 * whole only with its last event.
 */
export async function streamChat(call: Call, listener: Listener): Promise<void> {
  const answer = await answered({ ...call, headers: { ...call.headers, accept: 'text/event-stream' } });
  const run = answer.headers.get('x-orb-run-id');
  if (run !== null) listener.told({ run_id: run });
  for await (const data of eventsOf(answer.body)) {
    if (data === '[DONE]') return;
    // The door sends what it declares.
    take(JSON.parse(data) as Chunk, listener, answer.status);
  }
  throw brokenOff();
}

function take({ choices = [], error, orb, usage }: Chunk, listener: Listener, status: number): void {
  if (error !== undefined) throw new ApiProblem(status, { error });
  for (const { delta = {}, finish_reason: finish } of choices) {
    listener.text(`${delta.content ?? ''}${delta.refusal ?? ''}`);
    if (finish) listener.told({ finish });
  }
  if (orb !== undefined) listener.told(orb);
  if (usage) listener.told({ usage });
}

// The server cuts the connection of a stream that failed; the event before it says why.
function brokenOff(): Error {
  const detail = 'The run says what became of it. Its cost may be unknown.';
  return new ApiProblem(0, { title: 'The answer broke off', detail, code: 'stream_interrupted' });
}

/** Yields the data of server-sent events; comments are left out. */
async function* eventsOf(body: Response['body']): AsyncGenerator<string> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) return;
  let waiting = '';
  for (;;) {
    const { done, value } = await reader.read().catch((thrown: unknown) => {
      throw thrown instanceof DOMException ? thrown : brokenOff();
    });
    if (done) return;
    const events = (waiting + value).split('\n\n');
    waiting = events.pop() ?? '';
    for (const event of events) if (event.startsWith('data: ')) yield event.slice(6);
  }
}
