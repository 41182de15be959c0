import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { said, startBed, type Bed } from '../bed.ts';
import { checkChunks, checkMessageEvents, eventsOf } from '../events.ts';

const user = { role: 'user', content: 'hi' };
const least = '{"model":"fast","max_tokens":9,"messages":[{"role":"user","content":"hi"}]';
const tools = (count: number, schema: object = { type: 'object' }) => ({
  openai: Array.from({ length: count }, (_, at) => ({
    type: 'function',
    function: { name: `t${at}`, parameters: schema },
  })),
  anthropic: Array.from({ length: count }, (_, at) => ({ name: `t${at}`, input_schema: schema })),
});
const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

/** A request, as its bytes or as members that replace some of a plain one, and the code of its problem. */
interface Row {
  readonly name: string;
  /** Only of this door. */
  readonly only?: 'openai' | 'anthropic';
  readonly raw?: string | Buffer;
  readonly body?: object;
  readonly each?: Readonly<Record<'openai' | 'anthropic', object>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly code: string;
}

const raw = (name: string, text: string | Buffer): Row => ({ name, raw: text, code: 'malformed_json' });
const rows: readonly Row[] = [
  raw('duplicate keys', `${least},"model":"slow"}`),
  raw('duplicate keys deep in a message', '{"model":"fast","messages":[{"role":"user","content":"a","content":"b"}]}'),
  raw('a key that names the prototype', `${least},"__proto__":{"n":2}}`),
  raw('nesting to the depth 100', `${least},"vendor":${nested(100)}}`),
  raw('NaN', `${least},"temperature":NaN}`),
  raw('a number beyond a double', `${least},"temperature":1e400}`),
  raw('a lone surrogate', '{"model":"fast","messages":[{"role":"user","content":"\\ud800"}]}'),
  raw('a NUL as an escape', '{"model":"fast","messages":[{"role":"user","content":"a\\u0000b"}]}'),
  raw('a NUL as a byte', '{"model":"fast","messages":[{"role":"user","content":"a\0b"}]}'),
  raw(
    'bytes that are no UTF-8',
    Buffer.from([...Buffer.from(`${least},"vendor":{"a":"`), 0xff, ...Buffer.from('"}}')]),
  ),
  raw('more members than any request has', `${least},"vendor":{"a":[${'{},'.repeat(50_000)}{}]}}`),
  raw('an array that does not end', `${least},"tools":[`),
  raw('nothing', ''),
  {
    name: 'a compressed body',
    raw: gzipSync(`${least}}`),
    headers: { 'content-encoding': 'gzip' },
    code: 'unsupported_media_type',
  },
  { name: 'a list as the body', raw: '[]', code: 'invalid_body' },
  { name: 'two choices', only: 'openai', body: { n: 2 }, code: 'unsupported_parameter' },
  { name: 'two choices', only: 'anthropic', body: { n: 2 }, code: 'unknown_parameter' },
  { name: '2,001 messages', body: { messages: Array.from({ length: 2001 }, () => user) }, code: 'invalid_inputs' },
  { name: 'no message', body: { messages: [] }, code: 'invalid_inputs' },
  { name: 'an unknown role', body: { messages: [{ role: 'robot', content: 'hi' }] }, code: 'invalid_body' },
  {
    name: 'a result of a tool that names no call',
    each: {
      openai: { messages: [user, { role: 'tool', content: 'ok' }] },
      anthropic: { messages: [{ role: 'user', content: [{ type: 'tool_result', content: 'ok' }] }] },
    },
    code: 'invalid_body',
  },
  {
    name: '129 tools',
    each: { openai: { tools: tools(129).openai }, anthropic: { tools: tools(129).anthropic } },
    code: 'invalid_inputs',
  },
  {
    name: 'a name of a tool that no vendor takes',
    each: {
      openai: { tools: [{ type: 'function', function: { name: 'a b', parameters: {} } }] },
      anthropic: { tools: [{ name: 'a b', input_schema: {} }] },
    },
    code: 'invalid_inputs',
  },
  { name: 'a text for a flag', body: { stream: 'yes' }, code: 'invalid_body' },
  { name: 'a temperature beyond all', body: { temperature: 1e308 }, code: 'invalid_inputs' },
  { name: 'most tokens below one', body: { max_tokens: 0 }, code: 'invalid_inputs' },
  { name: 'most tokens as a fraction', body: { max_tokens: 0.5 }, code: 'invalid_body' },
  { name: 'most tokens of 2^60', body: { max_tokens: 2 ** 60 }, code: 'invalid_inputs' },
  { name: 'a seed of 2^60', only: 'openai', body: { seed: 2 ** 60 }, code: 'invalid_inputs' },
  { name: 'a model without a name', body: { model: '' }, code: 'invalid_inputs' },
  { name: 'a model with a line break', body: { model: 'fast\r\nx-evil: 1' }, code: 'invalid_inputs' },
  { name: 'a model with a long name', body: { model: 'm'.repeat(129) }, code: 'invalid_inputs' },
  { name: 'a number for a model', body: { model: 7 }, code: 'invalid_body' },
  {
    name: 'an image by a file of the server',
    only: 'openai',
    body: { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }] }] },
    code: 'invalid_inputs',
  },
];

const doors = [
  {
    door: 'openai',
    path: '/v1/chat/completions',
    check: (text: string) => checkChunks(eventsOf(text), { usage: false }),
  },
  { door: 'anthropic', path: '/v1/messages', check: (text: string) => checkMessageEvents(eventsOf(text)) },
] as const;

describe('a hostile request', () => {
  let bed: Bed;
  let canary: Server;
  let fetched = 0;
  before(async () => {
    canary = createServer((_, response) => {
      fetched += 1;
      response.end('{}');
    });
    canary.listen(0, '127.0.0.1');
    await once(canary, 'listening');
    bed = await startBed();
  });
  beforeEach(() => bed.answer(async () => said('hello')));
  after(async () => {
    await bed.platform.stop();
    canary.close();
  });
  const address = (): string => `http://127.0.0.1:${(canary.address() as AddressInfo).port}/schema`;
  const runs = async (): Promise<number> => (await bed.platform.call('GET', '/runs?limit=100')).body.runs.length;

  for (const { door, path, check } of doors) {
    const plain = { model: 'fast', max_tokens: 9, messages: [user] };
    const send = (body: string | Buffer | object, headers: Readonly<Record<string, string>> = {}) =>
      bed.post(path, Buffer.isBuffer(body) ? new Uint8Array(body) : body, { headers });

    describe(`at ${path}`, () => {
      for (const { name, only, body, each, headers, code, ...row } of rows)
        if (only === undefined || only === door)
          it(`is refused with ${name}, before there is a run`, async () => {
            const [calls, before] = [bed.calls.length, await runs()];
            const response = await send(row.raw ?? { ...plain, ...body, ...each?.[door] }, headers);
            expect(response.status, response.text).to.equal(400);
            const { error } = response.body;
            expect(door === 'openai' ? error.code : error.details.error_code).to.equal(code);
            expect(error.type).to.equal('invalid_request_error');
            expect(response.headers.get('x-should-retry')).to.equal('false');
            expect([bed.calls.length, await runs()]).to.deep.equal([calls, before]);
          });

      it('may hold nearly 16 MiB of base64, which arrives whole, and not more', async () => {
        const data = 'QUJD'.repeat((16 * 2 ** 20 - 4096) / 4);
        const image =
          door === 'openai'
            ? { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } }
            : { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
        const ask = (more: object) => send({ ...plain, messages: [{ role: 'user', content: [image] }], ...more });
        expect((await ask({})).status).to.equal(200);
        const messages = bed.calls.at(-1)?.['messages'] as { content: { data_base64: string }[] }[];
        expect(messages[0]?.content[0]?.data_base64 === data).to.equal(true);
        expect((await ask({ model: 'm'.repeat(8192) })).status).to.equal(413);
      });

      it('fetches no schema and no image that it names: the provider gets their addresses', async () => {
        const schema = { $schema: address(), $ref: address(), properties: { a: { $ref: `${address()}#/a` } } };
        const image =
          door === 'openai'
            ? { type: 'image_url', image_url: { url: address() } }
            : { type: 'image', source: { type: 'url', url: address() } };
        const format =
          door === 'openai'
            ? { response_format: { type: 'json_schema', json_schema: { name: 'a', schema } } }
            : { output_config: { format: { type: 'json_schema', schema } } };
        const messages = [{ role: 'user', content: [image] }];
        const response = await send({ ...plain, ...format, messages, tools: tools(128, schema)[door] });
        expect(response.status, response.text).to.equal(200);
        const call = bed.calls.at(-1) as { tools: { input_schema: object }[]; response_format: { schema: object } };
        expect([call.tools[127]?.input_schema, call.response_format.schema]).to.deep.equal([schema, schema]);
        expect(fetched).to.equal(0);
      });

      it('passes on the result of a tool that nobody called: the vendor decides about it', async () => {
        const messages =
          door === 'openai'
            ? [{ role: 'tool', tool_call_id: 'nobody', content: 'ok' }]
            : [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'nobody', content: 'ok' }] }];
        expect((await send({ ...plain, messages })).status).to.equal(200);
        expect(bed.calls.at(-1)?.['messages']).to.deep.equal([{ role: 'tool', tool_call_id: 'nobody', content: 'ok' }]);
      });

      it('cannot make events of its own, when a model repeats it', async () => {
        const content = 'a\n\ndata: [DONE]\n\nevent: message_stop\ndata: {"type":"message_stop"}\r\rid: 1\n\n: x\u2028';
        bed.answer(async (inputs, { emit }) => {
          const [message] = inputs['messages'] as { content: string }[];
          for (const text of message?.content ?? '') await emit?.({ type: 'text', text });
          return said(message?.content ?? '');
        });
        const { text } = await send({ ...plain, messages: [{ role: 'user', content }], stream: true });
        check(text);
        const pieces = eventsOf(text).map(({ data }) =>
          door === 'openai' ? data.choices?.[0]?.delta.content : data.delta?.text,
        );
        expect(pieces.filter((piece) => piece !== undefined).join('')).to.equal(content);
      });
    });
  }

  it('of embeddings is refused beyond their bounds', async () => {
    for (const body of [
      { input: Array.from({ length: 2049 }, () => 'a') },
      { input: [] },
      { input: [[]] },
      { input: [1.5] },
      { input: [-1] },
      { input: [2 ** 60, 'a'] },
      { input: 'a', dimensions: 0 },
      { input: 'a', encoding_format: 'hex' },
    ]) {
      const response = await bed.post('/v1/embeddings', { model: 'fast', ...body });
      expect([response.status, response.body.error?.type], JSON.stringify(body).slice(0, 80)).to.deep.equal([
        400,
        'invalid_request_error',
      ]);
    }
  });
});
