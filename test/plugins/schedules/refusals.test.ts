import { expect } from 'chai';
import { hourly, path, startTimed, type Timed } from './started.ts';

/** Bodies that make no schedule: what is changed of a good one, and the answer. */
const refused: readonly (readonly [what: string, change: object, status: number, code: string, pointer?: string])[] = [
  ['a pattern of words', { cron: 'every day' }, 422, 'invalid_body', '#/cron'],
  ['a minute too many', { cron: '60 * * * *' }, 422, 'invalid_body', '#/cron'],
  ['seconds', { cron: '0 0 * * * *' }, 422, 'invalid_body', '#/cron'],
  ['an unknown nickname', { cron: '@often' }, 422, 'invalid_body', '#/cron'],
  ['a date that never comes', { cron: '0 0 30 2 *' }, 422, 'invalid_body', '#/cron'],
  ['a control in the pattern', { cron: '0 * * *\n*' }, 422, 'invalid_body', '#/cron'],
  ['a long pattern', { cron: `${'0,'.repeat(60)}0 * * * *` }, 422, 'invalid_body', '#/cron'],
  ['a zone that is none', { timezone: 'Mars/Base' }, 422, 'invalid_body', '#/timezone'],
  ['no zone', { timezone: '' }, 422, 'invalid_body', '#/timezone'],
  ['an end that is past', { until: '2026-11-23T10:00:00Z' }, 422, 'invalid_body', '#/until'],
  ['an end before the first slot', { until: '2026-11-23T10:59:00Z' }, 422, 'invalid_body', '#/until'],
  ['an end that is no time', { until: 'tomorrow' }, 422, 'invalid_body', '#/until'],
  ['another rule of overlap', { overlap: 'both' }, 422, 'invalid_body', '#/overlap'],
  ['another rule of misses', { catch_up: 'all' }, 422, 'invalid_body', '#/catch_up'],
  ['an unknown member', { every: '5m' }, 422, 'invalid_body'],
  ['an Orb that is not there', { orb_id: 'demo.none@1.0.0' }, 404, 'orb_not_found'],
  ['inputs that break the schema', { inputs: { text: 7 } }, 422, 'invalid_inputs', '#/inputs/text'],
  ['inputs above the bound', { inputs: { text: 'x'.repeat(140_000) } }, 413, 'payload_too_large'],
];

describe('schedules that are refused', () => {
  let timed: Timed;
  before(async () => {
    const config = { most_per_tenant: 3 };
    const platform = { providers: { echo: { adapter: 'echo/local' } }, plugins: { schedules: { config } } };
    timed = await startTimed('2026-11-23T10:30:00Z', { platform });
  });
  after(() => timed.platform.stop());

  const make = (change: object, key?: string, at = path) =>
    timed.platform.call('POST', at, { ...hourly, ...change }, key);
  const list = async (): Promise<readonly object[]> => (await timed.platform.call('GET', path)).body.schedules;

  for (const [what, change, status, code, pointer] of refused)
    it(`${what}: ${status} ${code}`, async () => {
      const { status: answered, body } = await make(change);
      expect([answered, body.code]).to.deep.equal([status, code]);
      if (pointer !== undefined) expect(body.errors[0].pointer).to.equal(pointer);
      expect(await list()).to.deep.equal([]);
    });

  it('in an Orbiset that is not there, or of another tenant: 404', async () => {
    const stranger = await timed.platform.key({ scopes: ['orbs:execute', 'schedules:manage'], tenant: 'other' });
    expect((await make({}, undefined, '/orbisets/none/schedules')).body.code).to.equal('orbiset_not_found');
    expect((await make({}, stranger)).body.code).to.equal('orbiset_not_found');
    const id = await timed.make();
    for (const [method, rest] of [
      ['GET', ''],
      ['GET', '/runs'],
      ['POST', '/pause'],
      ['DELETE', ''],
    ] as const) {
      const { status, body } = await timed.platform.call(method, `${path}/${id}${rest}`, undefined, stranger);
      expect([status, body.code]).to.deep.equal([404, 'schedule_not_found']);
    }
    expect((await timed.platform.call('DELETE', `${path}/${id}`)).status).to.equal(204);
  });

  it('without the scopes: 403', async () => {
    const alone = await timed.platform.key({ scopes: ['schedules:manage'] });
    const other = await timed.platform.key({ scopes: ['schedules:manage', 'orbs:execute:notify.*'] });
    const without = await timed.platform.key({ scopes: ['orbs:execute'] });
    for (const key of [alone, other, without]) expect((await make({}, key)).body.code).to.equal('insufficient_scope');
  });

  it('by a test key, where the schedule makes live runs: 403', async () => {
    const id = await timed.make();
    const key = await timed.platform.key({ scopes: ['orbs:execute', 'schedules:manage'], mode: 'test' });
    for (const [method, rest] of [
      ['POST', '/pause'],
      ['POST', '/resume'],
      ['DELETE', ''],
    ] as const)
      expect((await timed.platform.call(method, `${path}/${id}${rest}`, undefined, key)).status).to.equal(403);
    const own = await timed.make({}, key);
    for (const one of [id, own]) expect((await timed.platform.call('DELETE', `${path}/${one}`)).status).to.equal(204);
  });

  it('beyond the limit of the tenant: 409, until one is deleted', async () => {
    const ids = [await timed.make(), await timed.make(), await timed.make()];
    expect((await make({})).body).to.include({ status: 409, code: 'schedule_limit' });
    await timed.platform.call('DELETE', `${path}/${ids[0] ?? ''}`);
    await timed.make();
    expect(await list()).to.have.length(3);
  });

  it('that have ended are not resumed: 409', async () => {
    const [{ schedule_id: first }] = (await list()) as [{ schedule_id: string }];
    await timed.platform.call('DELETE', `${path}/${first}`);
    const id = await timed.make({ until: '2026-11-23T11:00:00Z' });
    await timed.platform.call('POST', `${path}/${id}/pause`);
    timed.clock.set('2026-11-23T11:30:00Z');
    const { body } = await timed.platform.call('POST', `${path}/${id}/resume`);
    expect(body).to.include({ status: 409, code: 'schedule_ended' });
  });
});
