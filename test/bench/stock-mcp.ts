// The baseline of the part `mcp`: the official server SDK on Koa, with one tool that answers what it was given.
import Koa from 'koa';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { answerOf, requestBody } from './payload.ts';

const inputSchema = { type: 'object' as const, properties: { text: { type: 'string' } }, required: ['text'] };

function serverOf(): Server {
  const server = new Server({ name: 'stock', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({ tools: [{ name: 'demo_echo', inputSchema }] }));
  server.setRequestHandler('tools/call', ({ params }) => {
    const outputs = params.arguments ?? {};
    const structuredContent = answerOf({ ...requestBody, inputs: outputs }) as Record<string, unknown>;
    return { content: [{ type: 'text', text: JSON.stringify(outputs) }], structuredContent };
  });
  return server;
}

const handle = toNodeHandler(createMcpHandler(serverOf));
const app = new Koa();
app.use(async (ctx) => {
  ctx.respond = false;
  await handle(ctx.req as never, ctx.res);
});
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(JSON.stringify({ port: typeof address === 'object' ? address?.port : 0 }));
});
