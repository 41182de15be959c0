import { Router } from '@koa/router';
import { expect } from 'chai';
import type { RequestState } from '../../../../kernel/http/request/call.ts';
import { defineRoute } from '../../../../kernel/http/route/route.ts';
import { buildDispatch, declare } from '../../../../kernel/http/request/router.ts';

describe('the router', () => {
  it('names OPTIONS once, also where a route answers it', () => {
    const router = new Router<RequestState>({ strict: true, sensitive: true });
    for (const method of ['POST', 'OPTIONS'] as const) {
      const options = { method, path: '/door', service: 'ingest', public: true, summary: 's', problems: [] } as const;
      declare(router, defineRoute({ ...options, handle: () => undefined }), async () => undefined);
    }
    expect(buildDispatch(router)('/door')?.resource.allow).to.equal('OPTIONS, POST');
  });
});
