import { expect } from 'chai';
import type { Route } from '../kernel/index.ts';
import { operationsOf, resolved, type Document } from './helpers/openapi.ts';
import { startPlatform, type TestPlatform } from './helpers/platform.ts';

/** Routes that are no mere reading and yet take a test key, each with the reason. */
const forTestKeys: Readonly<Record<string, string>> = {
  'POST /orbisets/{id}/execute': 'sandbox providers alone serve a test key',
  'POST /orbisets/{id}/preview': 'runs nothing',
  'POST /providers/{name}/test': 'sandbox providers alone serve a test key',
  'POST /orbisets/{id}/mcp': 'its runs are those of execute',
  'POST /v1/chat/completions': 'its runs are those of execute',
  'POST /orbisets/{id}/v1/chat/completions': 'its runs are those of execute',
  'POST /v1/embeddings': 'its runs are those of execute',
  'POST /orbisets/{id}/v1/embeddings': 'its runs are those of execute',
  'POST /v1/messages': 'its runs are those of execute',
  'POST /orbisets/{id}/v1/messages': 'its runs are those of execute',
  'POST /v1/messages/count_tokens': 'runs nothing',
  'POST /orbisets/{id}/v1/messages/count_tokens': 'runs nothing',
  'POST /runs/{run_id}/cancel': 'looks at the run: a live one takes a live key',
  'POST /runs/{run_id}/resolve': 'looks at the run: a live one takes a live key',
  'POST /orbisets/{id}/schedules': 'its runs are those of the key: sandbox providers alone serve them',
  'PATCH /orbisets/{id}/schedules/{schedule_id}': 'looks at the schedule: one of live runs takes a live key',
  'POST /orbisets/{id}/schedules/{schedule_id}/run': 'looks at the schedule: one of live runs takes a live key',
  'POST /orbisets/{id}/schedules/{schedule_id}/pause': 'looks at the schedule: one of live runs takes a live key',
  'POST /orbisets/{id}/schedules/{schedule_id}/resume': 'looks at the schedule: one of live runs takes a live key',
  'DELETE /orbisets/{id}/schedules/{schedule_id}': 'looks at the schedule: one of live runs takes a live key',
  'POST /keys': 'a test key makes test keys alone',
  'POST /approvals/{approval_id}/decision': 'looks at the run: a live one takes a live key',
  'POST /approvals/{approval_id}/page': 'looks at the run: a live one takes a live key',
  'DELETE /keys/{key_id}': 'a test key revokes test keys alone',
  'DELETE /console/session': 'ends a session of its own',
  'POST /console/links': 'signs in as the same test key',
  'POST /policies/validate': 'keeps nothing',
  'POST /policies/format': 'keeps nothing',
  'POST /policies/test': 'keeps nothing',
  'POST /dry-run': 'keeps nothing',
  'POST /policies/-/replay': 'keeps nothing',
};

const titleOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string => `${method} ${path}`;

describe('a test key', () => {
  let platform: TestPlatform;
  let closed: readonly Route[];
  before(async () => {
    platform = await startPlatform();
    closed = platform.kernel.routes.filter((route) => route.public !== true);
  });
  after(() => platform.stop());

  it('is refused by every route that changes something, but for the few of the table above', () => {
    const changing = closed.filter(({ method }) => method !== 'GET');
    expect(changing).to.have.length.above(40);
    const open = changing.filter(({ live }) => live !== true).map(titleOf);
    expect(open, 'add `live: true` to the route, or a row with the reason').to.have.members(Object.keys(forTestKeys));
  });

  it('reads whatever its scopes let it read', () => {
    expect(closed.filter(({ method, live }) => method === 'GET' && live === true).map(titleOf)).to.deep.equal([]);
  });

  it('is answered 403 there with every scope, before anything else of the request counts; a live key is not', async () => {
    const trial = await platform.key({ name: 'trial', mode: 'test', scopes: ['*'] });
    const nothing = await platform.key({ name: 'nothing', scopes: ['orbs:read'] });
    for (const route of closed.filter(({ live }) => live === true)) {
      const path = route.path.replace(/\{[^}]+\}/g, 'x');
      const refused = await platform.call(route.method, path, undefined, trial);
      expect([refused.status, refused.body.code], titleOf(route)).to.deep.equal([403, 'insufficient_scope']);
      expect(refused.body.detail, titleOf(route)).to.contain('use a live key');
      const known = await platform.call(route.method, path, undefined, nothing);
      expect(String(known.body.detail), titleOf(route)).not.to.contain('use a live key');
    }
  });

  it('is told of by the OpenAPI document where it is refused, and only there', async () => {
    const document = (await platform.call('GET', '/openapi.json', undefined, null)).body as Document;
    const told = operationsOf(document).flatMap(([title, { responses }]) => {
      const answer = responses['403'];
      return answer !== undefined && /test key/.test(resolved(document, answer).description) ? [title] : [];
    });
    expect(told).to.have.members(closed.filter(({ live }) => live === true).map(titleOf));
  });
});
