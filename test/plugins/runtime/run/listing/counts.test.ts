import { expect } from 'chai';
import type { Clock } from '../../../../../kernel/index.ts';
import { startPlatform, type TestPlatform } from '../../../../helpers/platform.ts';
import { waywardAdapter, waywardOrb } from '../../../../helpers/wayward.ts';

const begin = Date.UTC(2026, 10, 21, 12, 0, 30);
const orb = 'test.irreversible@1.0.0';
const patient = 'other.patient@1.0.0';

/** A clock that stands until it is moved. */
function movedClock(): Clock & { to(ms: number): void } {
  let at = begin;
  return { now: () => at, monotonic: () => performance.now(), to: (ms) => void (at = ms) };
}

interface Counted {
  readonly value: string;
  readonly runs: number;
}

describe('GET /runs/counts', function () {
  const clock = movedClock();
  let platform: TestPlatform;
  let acme: string;
  before(async () => {
    platform = await startPlatform({
      clock,
      adapters: [waywardAdapter],
      platform: {
        providers: { odd: { adapter: 'wayward/local' }, even: { adapter: 'wayward/local' } },
        bindings: { [orb]: ['odd'], [patient]: ['even'] },
      },
      data: {
        [`orbs/${orb}.json`]: waywardOrb('irreversible'),
        [`orbs/${patient}.json`]: waywardOrb('irreversible', { orb_id: patient }),
        'orbisets/acme.json': { id: 'acme', tenant: 'acme', orbs: ['*'] },
      },
    });
    acme = await platform.key({ scopes: ['orbs:execute', 'runs:read'], tenant: 'acme' });
    await run(orb, 'answers');
    await run(orb, 'is rejected');
    await run(patient, 'answers');
    clock.to(begin + 120_000);
    await run(patient, 'answers', 'acme', acme);
    await run(patient, 'is rejected', 'acme', acme);
  });
  after(() => platform.stop());

  const run = (orb_id: string, behaviour: string, orbiset = 'default', key?: string) =>
    platform.call('POST', `/orbisets/${orbiset}/execute`, { orb_id, inputs: { behaviour, echo: 'x' } }, key);
  const counts = async (query = '', key?: string): Promise<object> => {
    const { status, body } = await platform.call('GET', `/runs/counts${query}`, undefined, key);
    expect(status).to.equal(200);
    const shown = (all: readonly Counted[]) => all.map(({ value, runs }) => `${value} ${runs}`).join(', ');
    return Object.fromEntries(
      ['status', 'orb_id', 'orbiset_id', 'provider'].map((facet) => [facet, shown(body[facet])]),
    );
  };

  const all = {
    status: 'completed 3, failed 2',
    orb_id: `${patient} 3, ${orb} 2`,
    orbiset_id: 'default 3, acme 2',
    provider: 'even 3, odd 2',
  };
  const failed = { orb_id: `${patient} 1, ${orb} 1`, orbiset_id: 'acme 1, default 1', provider: 'even 1, odd 1' };
  const ofOdd = { orb_id: `${orb} 2`, orbiset_id: 'default 2', provider: 'even 3, odd 2' };
  for (const [query, found] of [
    ['', all],
    ['?status=failed', { status: all.status, ...failed }],
    ['?status=failed,completed', all],
    ['?provider=odd', { status: 'completed 1, failed 1', ...ofOdd }],
    [
      '?provider=odd&status=failed',
      { status: 'completed 1, failed 1', orb_id: `${orb} 1`, orbiset_id: 'default 1', provider: failed.provider },
    ],
    [
      '?orb_id=test.*&status=indeterminate',
      { status: 'completed 1, failed 1', orb_id: '', orbiset_id: '', provider: '' },
    ],
    [
      '?orb_id=other.patient',
      { status: 'completed 2, failed 1', orb_id: all.orb_id, orbiset_id: 'acme 2, default 1', provider: 'even 3' },
    ],
    [
      '?orbiset_id=acme',
      { status: 'completed 1, failed 1', orb_id: `${patient} 2`, orbiset_id: all.orbiset_id, provider: 'even 2' },
    ],
    [
      '?to=2026-11-21T12:01:00Z',
      {
        status: 'completed 2, failed 1',
        orb_id: `${orb} 2, ${patient} 1`,
        orbiset_id: 'default 3',
        provider: 'odd 2, even 1',
      },
    ],
    [
      '?from=2026-11-21T12:02:00Z',
      { status: 'completed 1, failed 1', orb_id: `${patient} 2`, orbiset_id: 'acme 2', provider: 'even 2' },
    ],
  ] as const)
    it(`counts each filter under the others: ${query || 'no filter'}`, async () =>
      expect(await counts(query)).to.deep.equal(found));

  it('counts what the list lists', async () => {
    for (const query of ['?status=failed', '?orb_id=other.*&status=completed', '?provider=odd&orbiset_id=default']) {
      const { runs } = (await platform.call('GET', `/runs${query}`)).body;
      const { body } = await platform.call('GET', `/runs/counts${query}`);
      const name = query.includes('provider') ? 'orbiset_id' : 'status';
      const value = new URLSearchParams(query).get(name);
      expect(body[name].find((one: Counted) => one.value === value).runs, query).to.equal(runs.length);
    }
  });

  it('counts for a key the runs of its own tenant', async () => {
    expect(await counts('', acme)).to.include({ status: 'completed 1, failed 1', orbiset_id: 'acme 2' });
    const other = await platform.key({ scopes: ['orbs:execute'] });
    const { body } = await platform.call('GET', '/runs/counts', undefined, other);
    expect(body.code).to.equal('insufficient_scope');
  });

  it('refuses a status that there is not', async () => {
    const { status, body } = await platform.call('GET', '/runs/counts?status=fialed');
    expect([status, body.code]).to.deep.equal([400, 'invalid_parameter']);
  });
});
