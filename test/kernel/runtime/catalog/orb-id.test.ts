import { expect } from 'chai';
import { orbProject } from '../../../../plugins/kit/scaffold/projects.ts';
import { compile, orbId, orbNamespace, parseOrbId } from '../../../../kernel/index.ts';
import { createOrb } from '../../../../kernel/runtime/catalog/orb.ts';
import { startPlatform, type Answer, type TestPlatform } from '../../../helpers/platform.ts';
import { waywardAdapter, waywardOrb } from '../../../helpers/wayward.ts';

describe('an Orb id', () => {
  it('that is faulty is told how it is written', () => {
    const faulty = ['notify.email', 'email@1.0.0', 'notify.email@1', 'Notify.email@1.0.0', '_a.b@1.0.0', 'a_.b@1.0.0'];
    for (const id of [...faulty, 'a._b@1.0.0', 'a.b_@1.0.0', 'a..b@1.0.0', 'a b.c@1.0.0', 'a.b@1.0.0+b_'])
      expect(compile(orbId)(id), id).to.deep.equal([
        { pointer: '#', detail: 'must be written like notify.email@1.0.0' },
      ]);
    for (const id of ['notify.email@1.0.0', 'my_team.send_mail@1.0.0', 'a.b-c_d.e--f__g@1.0.0-rc.1+b'])
      expect(compile(orbId)(id), id).to.deep.equal([]);
  });

  it('splits at its last dot before the version', () => {
    expect(parseOrbId('my_team.eu.send_mail@1.0.0-rc.1')).to.deep.equal({
      orb_id: 'my_team.eu.send_mail@1.0.0-rc.1',
      namespace: 'my_team.eu',
      name: 'send_mail',
      version: '1.0.0-rc.1',
    });
    for (const name of ['my_team', 'my_team.eu']) expect(name).to.match(new RegExp(`^${orbNamespace}$`));
  });

  it('with _ in a label makes a scaffold that loads', () => {
    const faults: string[] = [];
    const { files } = orbProject('my_team.send_mail');
    expect(
      createOrb(JSON.parse(files['data/orbs/my_team.send_mail@1.0.0.json'] ?? ''), faults),
      faults.join(),
    ).not.to.equal(undefined);
  });
});

describe('an Orb with _ in its id', () => {
  const orb = 'my_team.send_mail@1.0.0';
  let platform: TestPlatform;
  before(async () => {
    platform = await startPlatform({
      platform: { providers: { w: { adapter: 'wayward/local', config: {} } } },
      data: {
        [`orbs/${orb}.json`]: waywardOrb('none', { orb_id: orb }),
        'orbisets/small.json': { id: 'small', tenant: 'default', orbs: ['my_team.*'] },
        'orbisets/exact.json': { id: 'exact', tenant: 'default', orbs: [orb] },
      },
      adapters: [waywardAdapter],
    });
  });
  after(() => platform.stop());

  const run = (orbiset: string, key?: string): Promise<Answer> =>
    platform.call(
      'POST',
      `/orbisets/${orbiset}/execute`,
      { orb_id: orb, inputs: { behaviour: 'answers', echo: 1 } },
      key ?? platform.adminKey,
    );

  it('runs, by narrowed keys and in Orbisets that name it or its namespace, and its receipt verifies', async () => {
    for (const scope of ['orbs:execute:my_team.*', `orbs:execute:${orb}`])
      for (const orbiset of ['small', 'exact'])
        expect((await run(orbiset, await platform.key({ scopes: [scope] }))).status, scope).to.equal(200);
    const { body } = await run('default');
    expect(body.receipt.signature_valid).to.equal(true);
    const receipt = await platform.call('GET', `/receipts/${body.receipt.receipt_id}`);
    const report = await platform.call('POST', '/receipts/verify', receipt.body, null);
    expect(report.body.overall).to.equal('VERIFIED');
  });

  it('is published in its namespace, and named by a source', async () => {
    const granted = await platform.call('POST', '/namespaces', { namespace: 'my_team', owner: { tenant: 'default' } });
    expect(granted.status).to.equal(201);
    const published = await platform.call('POST', '/marketplace/orbs/publish', { orb_id: orb });
    expect([published.status, published.body.name]).to.deep.equal([201, 'my_team.send_mail']);
    for (const { receipt_id } of [granted.body, (await platform.call('GET', `/marketplace/orbs/${orb}`)).body])
      expect((await platform.call('GET', `/receipts/${receipt_id}`)).body.signature_valid).to.equal(true);
    const may_name = { orbs: ['my_team.*', orb] };
    const source = await platform.call('POST', '/sources', { name: 'x', vendor: 'generic', may_name });
    expect(source.status, JSON.stringify(source.body)).to.equal(201);
    expect((await platform.call('GET', `/reputation/${orb}`, undefined, null)).status).to.equal(200);
  });
});
