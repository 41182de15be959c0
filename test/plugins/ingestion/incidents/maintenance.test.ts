import { expect } from 'chai';
import type { PlatformError } from '../../../../kernel/index.ts';
import { checkWindow } from '../../../../plugins/ingestion/incidents/routes/checks.ts';
import { noon, openBench, type Bench } from './bench.ts';

const day = 86_400;
const runtime = { kind: 'component', id: 'runtime' } as const;
const time = (second: number): string => new Date(noon + second * 1000).toISOString();

describe('when a maintenance window may stand', () => {
  const fault = (wish: readonly [number, number], before?: readonly [number, number]): string | undefined => {
    const ms = ([starts, ends]: readonly [number, number]) => ({ starts_ms: starts * 1000, ends_ms: ends * 1000 });
    try {
      const known = before === undefined ? undefined : { maintenance_id: 'mnt_1', scope: [runtime], ...ms(before) };
      checkWindow(ms(wish), 0, known);
      return undefined;
    } catch (error) {
      return (error as PlatformError).extensions.errors?.[0]?.pointer;
    }
  };
  // Seconds from now.
  const table: readonly (readonly [
    name: string,
    wish: readonly [number, number],
    before: readonly [number, number] | undefined,
    fault?: string,
  ])[] = [
    ['from now on', [0, 1], undefined],
    ['from a minute ago: a caller’s now comes late', [-60, 1], undefined],
    ['not from earlier than that', [-60.001, 1], undefined, '#/starts_at'],
    ['not without an end after its start', [5, 5], undefined, '#/ends_at'],
    ['not when it is over', [-5, 0], undefined, '#/ends_at'],
    ['for 30 days', [0, 30 * day], undefined],
    ['not for longer', [0, 30 * day + 0.001], undefined, '#/ends_at'],
    ['changed before it has begun', [20, 30], [1, 10]],
    ['not moved into the past before it has begun', [-61, 30], [1, 10], '#/starts_at'],
    ['not over before it has begun', [-5, 0], [1, 10], '#/ends_at'],
    ['ended when it has begun', [0, 0.001], [0, 10]],
    ['ended a minute ago when it has begun', [-90, -60], [-90, 10]],
    ['not ended earlier than that', [-90, -60.001], [-90, 10], '#/ends_at'],
    ['not begun at another time when it has begun', [1, 10], [0, 10], '#/starts_at'],
    ['not changed when it is over', [-90, 10], [-90, 0], '#'],
  ];
  for (const [name, wish, before, expected] of table)
    it(`is ${name}`, () => expect(fault(wish, before)).to.equal(expected));
});

describe('a maintenance window', () => {
  let bench: Bench;
  const call = async (method: string, path: string, params: object, body: object = {}): Promise<unknown> => {
    const route = bench.side.routes.find((one) => one.method === method && one.path === path);
    const asked = { params, body, principal: { id: 'prn_01JD5ZK0000000000000000000' } };
    return (route?.handle(asked as never) as Promise<unknown>).catch((error: PlatformError) => error.code);
  };
  const change = (method: string, id: string, body?: object) =>
    call(method, '/maintenance/{maintenance_id}', { maintenance_id: id }, body);
  const windows = () => bench.reads.windows('', '~').map(({ starts_at, ends_at }) => [starts_at, ends_at]);
  let id: string;
  beforeEach(async () => {
    bench = await openBench();
    await call('POST', '/maintenance', {}, { title: 't', scope: [runtime], starts_at: time(10), ends_at: time(20) });
    id = bench.reads.windows('', '~')[0]?.maintenance_id ?? '';
  });
  afterEach(() => bench.close());

  it('keeps what it is of once it has begun', async () => {
    const other = { scope: [{ kind: 'orb', id: 'notify.email@1.0.0' }] };
    bench.now(noon + 9_999);
    expect(await change('PATCH', id, other)).not.to.equal('invalid_body');
    bench.now(noon + 10_000);
    expect(await change('PATCH', id, other)).to.equal('invalid_body');
    expect(await change('PATCH', id, { ends_at: time(30) })).not.to.equal('invalid_body');
    expect(windows()).to.deep.equal([[time(10), time(30)]]);
  });

  for (const [name, at, code, left] of [
    ['goes when it is cancelled before it has begun', 10, undefined, []],
    ['ends when it is cancelled later', 15, undefined, [[time(10), time(15)]]],
    ['stands once it is over', 20, 'invalid_body', [[time(10), time(20)]]],
  ] as const)
    it(name, async () => {
      bench.now(noon + at * 1000);
      const answer = await change('DELETE', id);
      if (code !== undefined) expect(answer).to.equal(code);
      expect(windows()).to.deep.equal(left);
    });
});
