// The baseline: what most people would write. koa + @koa/router + koa-body, echoing the body of a run.
import Router from '@koa/router';
import Koa from 'koa';
import { koaBody } from 'koa-body';
import { answerOf, type ExecuteBody } from './payload.ts';

const app = new Koa();
const router = new Router();
router.post('/orbisets/:id/execute', (ctx) => {
  ctx.body = answerOf((ctx.request as unknown as { body: ExecuteBody }).body);
});
app.use(koaBody());
app.use(router.routes());
app.use(router.allowedMethods());
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(JSON.stringify({ port: typeof address === 'object' ? address?.port : 0 }));
});
