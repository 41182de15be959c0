import { expect } from 'chai';
import { startPlatform, type Answer, type TestPlatform } from '../../../helpers/platform.ts';
import { waywardAdapter, waywardOrb } from '../../../helpers/wayward.ts';

const orb = 'test.irreversible@1.0.0';

describe('the list of runs', function () {
  this.timeout(60_000);
  let platform: TestPlatform;
  // Names of the runs by their ids, in the order in which they were made.
  const names = new Map<string, string>();
  const principals: string[] = [];
  const times: string[] = [];

  before(async () => {
    platform = await startPlatform({
      adapters: [waywardAdapter],
      platform: {
        providers: { first: { adapter: 'wayward/local' }, second: { adapter: 'wayward/local' } },
        bindings: { [orb]: ['first', 'second'] },
      },
      data: {
        [`orbs/${orb}.json`]: waywardOrb('irreversible'),
        'orbisets/other.json': { id: 'other', tenant: 'default', orbs: ['*'], providers: ['second'] },
      },
    });
    const key = await platform.key({ scopes: ['orbs:execute'] });
    const run = async (name: string, behaviour: string, orbiset: string, as?: string): Promise<void> => {
      const body = { orb_id: orb, inputs: { behaviour, echo: 'x' } };
      const answer = (await platform.call('POST', `/orbisets/${orbiset}/execute`, body, as)).body;
      names.set(answer.run_id, name);
      const { started_at, principal } = (await show(answer.run_id)).body;
      times.push(started_at);
      principals.push(principal);
      // The next run is accepted in a later millisecond.
      while (Date.now() <= Date.parse(started_at)) await new Promise(setImmediate);
    };
    await run('one', 'answers', 'default');
    await run('two', 'answers', 'other');
    await run('three', 'is unknown', 'default', key);
    await run('four', 'is rejected', 'other', key);
  });
  after(() => platform.stop());

  const show = (runId: string): Promise<Answer> => platform.call('GET', `/runs/${runId}`);
  const listed = async (query: Readonly<Record<string, string>>): Promise<readonly (string | undefined)[]> => {
    const { status, body } = await platform.call('GET', `/runs?${new URLSearchParams(query).toString()}`);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.runs.map(({ run_id }: { run_id: string }) => names.get(run_id)).reverse();
  };

  const filters: readonly (readonly [name: string, query: () => Readonly<Record<string, string>>, found: string[]])[] =
    [
      ['orbiset_id', () => ({ orbiset_id: 'other' }), ['two', 'four']],
      ['principal', () => ({ principal: principals[2] ?? '' }), ['three', 'four']],
      ['provider', () => ({ provider: 'second' }), ['two', 'four']],
      ['reason', () => ({ reason: 'provider_rejected' }), ['four']],
      ['from', () => ({ from: times[1] ?? '' }), ['two', 'three', 'four']],
      ['to', () => ({ to: times[1] ?? '' }), ['one']],
      ['from and to', () => ({ from: times[1] ?? '', to: times[3] ?? '' }), ['two', 'three']],
      ['several', () => ({ provider: 'second', principal: principals[0] ?? '', status: 'completed' }), ['two']],
      ['nothing that is there', () => ({ provider: 'third' }), []],
      ['several statuses', () => ({ status: 'failed,indeterminate' }), ['three', 'four']],
      ['several statuses, completed among them', () => ({ status: 'failed, completed' }), ['one', 'two', 'four']],
      ['statuses of runs that wait and that ended', () => ({ status: 'queued,failed' }), ['four']],
      ['all versions of an Orb', () => ({ orb_id: 'test.irreversible' }), ['one', 'two', 'three', 'four']],
      ['a namespace', () => ({ orb_id: 'test.*', status: 'completed,failed' }), ['one', 'two', 'four']],
      ['a namespace that only begins alike', () => ({ orb_id: 'tes.*' }), []],
      ['a name that only begins alike', () => ({ orb_id: 'test.irr' }), []],
      ['a date without a time, from', () => ({ from: (times[0] ?? '').slice(0, 10) }), ['one', 'two', 'three', 'four']],
      ['a date without a time, to', () => ({ to: (times[0] ?? '').slice(0, 10) }), []],
    ];
  for (const [name, query, found] of filters)
    it(`is filtered by ${name}`, async () => expect(await listed(query())).to.deep.equal(found));

  it('refuses a time that is none', async () => {
    for (const time of ['yesterday', '2026-02-30', '2026-1-1']) {
      const { status, body } = await platform.call('GET', `/runs?from=${time}`);
      expect([status, body.code]).to.deep.equal([400, 'invalid_parameter']);
    }
  });

  for (const [query, said] of [
    ['status=failed,complete', /one of queued, held, running, .*did you mean completed\?/],
    ['status=', /one of queued, held, running/],
    ['orb_id=test*', /notify\.email@1\.0\.0.*notify\.\*/],
    ['orb_id=*', /notify\.email@1\.0\.0.*notify\.\*/],
  ] as const)
    it(`says what is right in place of ${query}`, async () => {
      const { status, body } = await platform.call('GET', `/runs?${query}`);
      expect([status, body.code]).to.deep.equal([400, 'invalid_parameter']);
      expect(body.detail).to.match(said);
      expect(body.errors).to.have.length(1);
    });

  it('has no attempts; a run alone shows each, with what came of it', async () => {
    const { runs } = (await platform.call('GET', '/runs')).body;
    for (const run of runs) expect(run).not.to.have.property('attempts');
    const [id = ''] = [...names].find(([, name]) => name === 'two') ?? [];
    const [attempt, ...more] = (await show(id)).body.attempts;
    expect(more).to.deep.equal([]);
    expect(attempt).to.include({ provider: 'second', adapter: 'wayward/local', generation: 2, outcome: 'accepted' });
    expect(attempt.latency_ms).to.be.a('number');
  });

  it('shows the attempts that the receipt attests', async () => {
    for (const id of names.keys()) {
      const { attempts, receipt_id } = (await show(id)).body;
      const { statement } = (await platform.call('GET', `/receipts/${receipt_id}`)).body;
      expect(attempts).to.deep.equal(statement.predicate.facts.attempts);
    }
  });
});
