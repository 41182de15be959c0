/** One server-sent event of a stream. */
export interface SentEvent {
  readonly event: string | undefined;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into events of any shape
  readonly data: any;
}

/** Reads the events of a stream; the data of `[DONE]` stays a text. Comments are left out. */
export function eventsOf(text: string): readonly SentEvent[] {
  const blocks = text.split('\n\n');
  if (blocks.pop() !== '') throw new Error('the last event is not complete');
  return blocks.flatMap((block) => {
    const lines = block.split('\n').filter((line) => !line.startsWith(':'));
    const member = (name: string): string | undefined =>
      lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    const data = member('data');
    if (data === undefined) return [];
    return [{ event: member('event'), data: data === '[DONE]' ? data : (JSON.parse(data) as unknown) }];
  });
}

/** Fails unless chunks are a whole stream by the grammar of the OpenAI API. */
export function checkChunks(events: readonly SentEvent[], { usage }: { readonly usage: boolean }): void {
  const last = events.at(-1);
  if (last?.data !== '[DONE]') throw new Error('the stream does not end with [DONE]');
  const chunks = events.slice(0, -1).map(({ data }) => data);
  const known = new Set<number>();
  let state: 'before' | 'within' | 'finished' | 'counted' = 'before';
  for (const { id, object, created, model, choices, usage: told } of chunks) {
    const [first] = chunks;
    if (object !== 'chat.completion.chunk') throw new Error(`a chunk is ${String(object)}`);
    if (id !== first.id || created !== first.created || model !== first.model)
      throw new Error('a chunk has another head');
    if (choices.length === 0) {
      if (state !== 'finished' || !usage || told === null) throw new Error('usage at the wrong place');
      state = 'counted';
      continue;
    }
    if (usage !== (told === null)) throw new Error('usage of a chunk must be null if it is asked for, else absent');
    const [{ delta, finish_reason, index }] = choices;
    if (index !== 0 || choices.length !== 1) throw new Error('more than one choice');
    if (state === 'before') {
      if (delta.role !== 'assistant' || delta.content !== '') throw new Error('the first delta has no role');
      state = 'within';
      continue;
    }
    if (state !== 'within') throw new Error('a delta after the end');
    if ('role' in delta) throw new Error('a second role');
    for (const call of delta.tool_calls ?? []) {
      const { name, arguments: text } = call.function;
      const fresh = !known.has(call.index);
      known.add(call.index);
      if (fresh && (call.type !== 'function' || call.id === undefined || name === undefined || text !== ''))
        throw new Error('the first delta of a call lacks a member');
      if (!fresh && (call.type ?? call.id ?? name) !== undefined) throw new Error('a later delta of a call names it');
    }
    if (finish_reason === null) continue;
    if (Object.keys(delta).length > 0) throw new Error('the last delta is not empty');
    state = 'finished';
  }
  if (state !== 'finished' && state !== 'counted') throw new Error('there is no finish reason');
}

const deltas: Readonly<Record<string, readonly string[]>> = {
  text: ['text_delta'],
  thinking: ['thinking_delta', 'signature_delta'],
  tool_use: ['input_json_delta'],
  redacted_thinking: [],
};

type State = 'before' | 'between' | 'block' | 'ending' | 'over';

/** Fails unless events are a whole stream by the grammar of the Anthropic API. */
export function checkMessageEvents(events: readonly SentEvent[]): void {
  const at: { state: State } = { state: 'before' };
  let kind = '';
  let index = -1;
  const step = (from: State, to: State): void => {
    if (at.state !== from) throw new Error(`an event of the state ${from} in the state ${at.state}`);
    at.state = to;
  };
  for (const { event, data } of events) {
    if (event !== data.type) throw new Error(`the event ${event} has data of the type ${data.type}`);
    if (event === 'ping') continue;
    if (event === 'message_start') {
      step('before', 'between');
      if (data.message.content.length !== 0 || data.message.stop_reason !== null)
        throw new Error('the start is not empty');
      if (typeof data.message.usage.input_tokens !== 'number') throw new Error('the start has no usage');
    } else if (event === 'content_block_start') {
      step('between', 'block');
      kind = data.content_block.type;
      if (data.index !== (index += 1)) throw new Error('an index is left out');
    } else if (event === 'content_block_delta') {
      step('block', 'block');
      if (data.index !== index || deltas[kind]?.includes(data.delta.type) !== true)
        throw new Error(`a delta ${data.delta.type} of another block than ${kind}`);
    } else if (event === 'content_block_stop') {
      step('block', 'between');
      if (data.index !== index) throw new Error('another block stops');
    } else if (event === 'message_delta') {
      step('between', 'ending');
      if (typeof data.usage.output_tokens !== 'number') throw new Error('the end has no usage');
    } else if (event === 'message_stop') step('ending', 'over');
    else throw new Error(`the event ${event} is unknown`);
  }
  if (at.state !== 'over') throw new Error('the stream has no end');
}
