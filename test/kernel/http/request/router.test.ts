import { Router } from '@koa/router';
import { expect } from 'chai';
import type { RequestState } from '../../../../kernel/http/request/call.ts';
import { defineRoute } from '../../../../kernel/http/route/route.ts';
import { buildDispatch, declare, nearestPath } from '../../../../kernel/http/request/router.ts';

describe('the router', () => {
  it('names OPTIONS once, also where a route answers it', () => {
    const router = new Router<RequestState>({ strict: true, sensitive: true });
    for (const method of ['POST', 'OPTIONS'] as const) {
      const options = { method, path: '/door', service: 'ingest', public: true, summary: 's', problems: [] } as const;
      declare(router, defineRoute({ ...options, handle: () => undefined }), async () => undefined);
    }
    expect(buildDispatch(router)('/door')?.resource.allow).to.equal('OPTIONS, POST');
  });

  it('forgets the parameters of a branch that leads nowhere', () => {
    const router = new Router<RequestState>({ strict: true, sensitive: true });
    const options = { method: 'GET', service: 'ingest', public: true, summary: 's', problems: [] } as const;
    for (const path of ['/runs/{id}/events', '/{tenant}/{orb}/score'] as const) {
      const route = defineRoute({ ...options, path, handle: () => undefined });
      declare(router, route, async () => undefined);
    }
    expect(buildDispatch(router)('/runs/run_1/score')?.values).to.deep.equal(['runs', 'run_1']);
  });
});

describe('the path that a caller most likely meant', () => {
  const routes = ['/', '/health', '/receipts', '/trust/receipts', '/orbisets/{id}/execute'].map((path) => ({ path }));
  const nearest = nearestPath(routes);
  for (const [written, meant, why] of [
    ['/api/v1/receipts', '/receipts', 'ends with it'],
    ['/api/trust/receipts', '/trust/receipts', 'ends with two of them: the longer one'],
    ['/health/live', '/health', 'begins with it'],
    ['/healt', '/health', 'is similar'],
    ['/orbisets/team-1/exceute', '/orbisets/team-1/execute', 'is similar, but for what stands in place of a parameter'],
    ['/healthy/live', undefined, 'begins with its letters, not with its segments'],
    ['/something', undefined, 'is like none'],
    ['/health/live!', undefined, 'has a character that no path has'],
    [`/${'a'.repeat(60)}/health`, undefined, 'is long'],
  ] as const)
    it(`of ${written.slice(0, 30)}, which ${why}, is ${meant}`, () => {
      expect(nearest(written)).to.equal(meant);
    });
});
