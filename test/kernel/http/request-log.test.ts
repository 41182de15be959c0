import { expect } from 'chai';
import { PlatformError } from '../../../kernel/error.ts';
import { defineRoute } from '../../../kernel/http/route/route.ts';
import { send } from '../../helpers/http.ts';
import { fullKey, sampleRoutes, startHttp, type Fixture } from './fixture.ts';
import { EventEmitter } from 'node:events';

const runs = (['ends', 'fails'] as const).map((fate) =>
  defineRoute({
    method: 'POST',
    path: `/orbisets/{id}/${fate}`,
    service: 'runtime',
    scope: 'orbs:execute',
    summary: 'Run something',
    params: { type: 'object', required: ['id'], properties: { id: { type: 'string', maxLength: 64 } } } as const,
    response: { type: 'object', properties: { run_id: { type: 'string' } } },
    problems: ['overloaded'],
    handle: () => {
      if (fate === 'fails') throw new PlatformError('overloaded', 'too many runs', { run_id: 'run_2' });
      return { run_id: 'run_1' };
    },
  }),
);

describe('the log of requests', () => {
  let fixture: Fixture;
  beforeEach(async () => {
    fixture = await startHttp({ routes: [...sampleRoutes(new EventEmitter()), ...runs] });
  });
  afterEach(() => fixture.http.drain(0));

  const lines = (): Readonly<Record<string, unknown>>[] =>
    fixture.lines
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
      .filter(({ msg }) => msg === 'request');

  it('has one line per request, with what was called, how it ended, for how long and for whom', async () => {
    const { headers } = await send(fixture.base, '/things/secret-token?hidden=1', { key: fullKey });
    const [line = {}, ...more] = lines();
    expect(more).to.deep.equal([]);
    expect(line).to.have.all.keys(
      ...['level', 'time', 'msg', 'method', 'route', 'status', 'ms', 'request_id', 'principal', 'tenant'],
    );
    expect(line).to.include({ level: 'info', method: 'GET', route: '/things/{id}', status: 400 });
    expect(line).to.include({ request_id: headers.get('x-request-id'), principal: 'prn_1', tenant: 'default' });
    expect(line['ms']).to.be.a('number');
  });

  it('names the route as it is declared, and holds neither path, query nor key', async () => {
    await send(fixture.base, '/things/secret-token', { key: fullKey });
    await send(fixture.base, '/no/secret-token?secret-token');
    await send(fixture.base, '/things/secret-token', { method: 'OPTIONS' });
    await send(fixture.base, '/things/secret-token', { method: 'PATCH' });
    expect(lines().map(({ method, route, status }) => [method, route, status])).to.deep.equal([
      ['GET', '/things/{id}', 200],
      ['GET', 'unmatched', 404],
      ['OPTIONS', 'unmatched', 204],
      ['PATCH', 'unmatched', 405],
    ]);
    expect(fixture.lines.join('')).not.to.match(new RegExp(`secret-token|${fullKey}`));
  });

  it('names the run, whether it completed or not', async () => {
    for (const fate of ['ends', 'fails'])
      await send(fixture.base, `/orbisets/default/${fate}`, { key: fullKey, method: 'POST' });
    expect(lines().map(({ status, run_id }) => [status, run_id])).to.deep.equal([
      [200, 'run_1'],
      [503, 'run_2'],
    ]);
  });

  it('has a line of a request without a key, and of a defect beside the line that tells of it', async () => {
    await send(fixture.base, '/things/1');
    await send(fixture.base, '/fails/throw');
    expect(lines().map(({ status, principal }) => [status, principal])).to.deep.equal([
      [401, undefined],
      [500, undefined],
    ]);
  });
});
