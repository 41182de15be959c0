import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

type Vendor = 'openai' | 'anthropic';

/** What a vendor sends to one call, and what becomes of it. */
export interface Row {
  readonly name: string;
  readonly vendor: Vendor;
  /** The texts of a stream, or a document for a call that is not streamed. */
  readonly stream?: readonly string[];
  readonly whole?: object;
  readonly answer?: (response: ServerResponse) => void | Promise<void>;
  /** The text of an answer that is taken; absent: the call fails. */
  readonly content?: string;
  /** Usage in the receipt; absent: not looked at. */
  readonly usage?: object;
  /** The name of the model in the receipt; null: none. */
  readonly answered?: string | null;
  /** What the caller is told of a failure; `stream_interrupted` once it has a part. */
  readonly code?: string;
}

/** Writes one event of a stream. */
export const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
/** Writes one chunk of a chat completion. */
export const chunk = (delta: object, more: object = {}, finish_reason: string | null = null): string =>
  data({
    id: 'c',
    object: 'chat.completion.chunk',
    model: 'v-1',
    choices: [{ index: 0, delta, finish_reason }],
    ...more,
  });
const done = 'data: [DONE]\n\n';
const chat = (...middle: readonly string[]): readonly string[] => [
  chunk({ role: 'assistant', content: 'hel' }),
  ...middle,
  chunk({ content: 'lo' }),
  chunk({}, {}, 'stop'),
  done,
];
const counted = (usage: object): readonly string[] => [
  ...chat().slice(0, -1),
  data({ id: 'c', model: 'v-1', choices: [], usage }),
  done,
];

const message = { id: 'm', type: 'message', role: 'assistant', model: 'v-1', content: [], usage: {} };
const block = (content_block: object): string => data({ type: 'content_block_start', index: 0, content_block });
const piece = (delta: object): string => data({ type: 'content_block_delta', index: 0, delta });
const stop = data({ type: 'content_block_stop', index: 0 });
const ending = (usage: object = {}): readonly string[] => [
  data({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage }),
  data({ type: 'message_stop' }),
];
const said = (usage: object, ...middle: readonly string[]): readonly string[] => [
  data({ type: 'message_start', message: { ...message, usage } }),
  block({ type: 'text', text: '' }),
  piece({ type: 'text_delta', text: 'hel' }),
  ...middle,
  piece({ type: 'text_delta', text: 'lo' }),
  stop,
  ...ending(usage),
];
const absent = { source: 'absent' };
const deep = (depth: number): unknown => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`) as unknown;

const badCounts = [
  ['negative counts', -1, -1],
  ['counts of 2^60', 2 ** 60, 2 ** 60],
  ['counts as texts', '12', '3'],
  ['fractions', 1.5, 0.5],
  ['lists', [1], { a: 1 }],
] as const;

/** What hostile vendors send. */
export const rows: readonly Row[] = [
  ...badCounts.flatMap(([name, input, output]): Row[] => [
    {
      ...{ name, vendor: 'openai', content: 'hello', usage: absent },
      stream: counted({
        prompt_tokens: input,
        completion_tokens: output,
        prompt_tokens_details: { cached_tokens: input },
      }),
    },
    {
      ...{ name: `${name}, not streamed`, vendor: 'openai', content: 'hello', usage: absent },
      whole: {
        choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: input, completion_tokens: output },
      },
    },
    {
      ...{ name, vendor: 'anthropic', content: 'hello', usage: absent },
      stream: said({ input_tokens: input, output_tokens: output, cache_read_input_tokens: input }),
    },
  ]),
  {
    ...{ name: 'counts that together are beyond a number', vendor: 'anthropic', content: 'hello' },
    usage: { cache_read_tokens: Number.MAX_SAFE_INTEGER, output_tokens: 1, source: 'vendor' },
    stream: said({ input_tokens: 2 ** 52, output_tokens: 1, cache_read_input_tokens: Number.MAX_SAFE_INTEGER }),
  },
  {
    ...{ name: 'a name of the model that changes', vendor: 'openai', content: 'hello', answered: 'v-3' },
    stream: chat(chunk({}, { model: 'v-2' }), chunk({}, { model: 7 })).map((text, at) =>
      at > 2 ? text.replace('v-1', 'v-3') : text,
    ),
  },
  {
    ...{ name: 'a long name of the model', vendor: 'anthropic', content: 'hello', answered: null },
    stream: [data({ type: 'message_start', message: { ...message, model: 'm'.repeat(5000) } }), ...said({}).slice(1)],
  },
  {
    ...{ name: 'a call of a tool with the index 10^9', vendor: 'openai', content: 'hello' },
    stream: chat(chunk({ tool_calls: [{ index: 1e9, id: 'a', function: { name: 'f', arguments: '{}' } }] })),
  },
  {
    ...{ name: 'an index that is a text', vendor: 'openai', content: 'hello' },
    stream: chat(chunk({ tool_calls: [{ index: '__proto__', id: 'a', function: { name: 'f', arguments: '{' } }] })),
  },
  {
    ...{ name: 'more calls of tools than anybody makes', vendor: 'openai' },
    stream: chat(
      ...Array.from({ length: 1025 }, (_, index) =>
        chunk({ tool_calls: [{ index, id: `a${index}`, function: { name: 'f' } }] }),
      ),
    ),
  },
  {
    ...{ name: 'arguments that nest without an end', vendor: 'openai' },
    stream: chat(chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: 0 } }] })).map((text) =>
      text.replace('"arguments":0', `"arguments":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`),
    ),
  },
  {
    ...{ name: 'a thought that nests', vendor: 'anthropic', code: 'invalid_outputs' },
    stream: [
      ...said({}).slice(0, -2),
      block({ type: 'redacted_thinking', data: 'a'.repeat(9_000_000), a: deep(60) }),
      stop,
      ...ending(),
    ],
  },
  {
    ...{ name: 'a pair of surrogates in two pieces', vendor: 'openai', content: 'hel😀lo' },
    stream: chat('\ud83d', '\ude00').map((text) =>
      text.length === 1 ? chunk({ content: 'X' }).replace('X', `\\u${text.charCodeAt(0).toString(16)}`) : text,
    ),
  },
  {
    ...{ name: 'half a pair of surrogates', vendor: 'openai', code: 'invalid_outputs' },
    stream: chat(chunk({ content: 'X' }).replace('X', '\\ud83d')),
  },
  {
    ...{ name: 'a NUL, and events inside a text', vendor: 'openai', content: 'hel\0\n\ndata: [DONE]\n\nlo' },
    stream: chat(chunk({ content: '\0\n\ndata: [DONE]\n\n' })),
  },
  {
    ...{ name: 'choices that are none', vendor: 'openai', content: 'hello' },
    stream: chat(
      data({ choices: null }),
      data({ choices: [{ index: 5, delta: { content: 'x' } }] }),
      data(7),
      data(null),
    ),
  },
  {
    ...{ name: 'a second end, and an answer after it', vendor: 'openai', content: 'hello' },
    stream: [...chat(), chunk({ content: 'more' }), done],
  },
  {
    ...{ name: 'an event that is no JSON', vendor: 'openai' },
    stream: chat('data: {"choices":[\n\n'),
  },
  {
    ...{ name: 'events that it does not document', vendor: 'anthropic', content: 'hello' },
    stream: said(
      {},
      data({ type: 'novelty', a: deep(500) }),
      data('text'),
      data(null),
      'event: x\nid: \0\nretry: -1\n\n',
    ),
  },
  {
    ...{ name: 'a piece of a block that has ended', vendor: 'anthropic' },
    stream: [...said({}).slice(0, -2), piece({ type: 'text_delta', text: 'x' }), ...ending()],
  },
  {
    ...{ name: 'a call of a tool without a name', vendor: 'anthropic' },
    stream: said({}, stop, block({ type: 'tool_use', id: 'a' })),
  },
  ...([301, 302, 303, 307, 308] as const).map((status): Row => ({
    ...{ name: `a redirect by ${status}`, vendor: 'openai', code: 'provider_failed' },
    answer: (response) => void response.writeHead(status, { location: '/elsewhere' }).end(),
  })),
  {
    ...{ name: 'a time to wait beyond all', vendor: 'openai', code: 'provider_unavailable' },
    answer: (response) => void response.writeHead(429, { 'retry-after': '1e99' }).end('{}'),
  },
  {
    ...{ name: 'an error that never ends', vendor: 'anthropic', code: 'provider_failed' },
    answer: async (response) => {
      response.writeHead(500, { 'content-type': 'application/json' });
      while (!response.closed && response.write(`"${'x'.repeat(65_536)}`)) await pause(1);
    },
  },
  {
    ...{ name: 'a length that is not true', vendor: 'openai', code: 'provider_failed' },
    answer: (response) => void response.writeHead(200, { 'content-length': '999999' }).end('{'),
  },
  {
    ...{ name: 'pings without an end', vendor: 'openai', code: 'provider_failed' },
    answer: async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      while (!response.closed) {
        response.write(': ping\n\n');
        await pause(20);
      }
    },
  },
];

/** A chat completion without a fault. */
export const fineChat: Row = {
  ...{ name: '', vendor: 'openai' },
  whole: { choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }] },
};
/** A message without a fault. */
export const fineMessage: Row = {
  ...{ name: '', vendor: 'anthropic' },
  whole: { ...message, content: [{ type: 'text', text: 'hello' }], stop_reason: 'end_turn' },
};

/** Sends what a row says. */
export async function answer(response: ServerResponse, { stream, whole, answer: own }: Row): Promise<void> {
  if (own !== undefined) return own(response);
  if (whole !== undefined) {
    response.writeHead(200, { 'content-type': 'application/json' });
    return void response.end(JSON.stringify(whole));
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const text of stream ?? []) response.write(text);
  response.end();
}
