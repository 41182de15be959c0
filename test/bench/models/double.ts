// A vendor of chat completions: it thinks for 10 ms and answers 50 parts, whole or as a stream. Of the model `apart` each part
// comes a millisecond after the one before; of `silent` nothing follows the first part.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const thinkMs = 10;
const parts = Array.from({ length: 50 }, (_, at) => `word ${at} `);
const usage = { prompt_tokens: 12, completion_tokens: 50, total_tokens: 62 };
const frame = { id: 'chatcmpl-1', created: 1_790_000_000, model: 'double-1' };

const whole = JSON.stringify({
  ...{ ...frame, object: 'chat.completion', usage },
  choices: [{ index: 0, message: { role: 'assistant', content: parts.join('') }, finish_reason: 'stop' }],
});

const chunk = (rest: object): string =>
  `data: ${JSON.stringify({ ...frame, object: 'chat.completion.chunk', ...rest })}\n\n`;
const delta = (content: string): string =>
  chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }], usage: null });
const events = parts.map(delta);
const end = [
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: null }),
  chunk({ choices: [], usage }),
  'data: [DONE]\n\n',
].join('');

function answer(res: ServerResponse, asked: string): void {
  const { model, stream } = JSON.parse(asked) as { readonly model: string; readonly stream?: boolean };
  if (stream !== true) return void res.writeHead(200, { 'content-type': 'application/json' }).end(whole);
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  if (model === 'apart') return oneByOne(res, 0);
  for (const event of model === 'silent' ? events.slice(0, 1) : events) res.write(event);
  if (model !== 'silent') res.end(end);
}

function oneByOne(res: ServerResponse, at: number): void {
  if (res.destroyed) return;
  const event = events[at];
  if (event === undefined) return void res.end(end);
  res.write(event);
  setTimeout(oneByOne, 1, res, at + 1);
}

const server = createServer((req, res) => {
  // A health check.
  if (req.method === 'GET') return void res.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}');
  let text = '';
  req.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  req.on('end', () => setTimeout(answer, thinkMs, res, text));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', 4096, () =>
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })),
);
process.on('SIGTERM', () => process.exit(0));
