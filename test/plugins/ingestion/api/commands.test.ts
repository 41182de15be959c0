import { expect } from 'chai';
import { createServed, type Served } from '../../../helpers/served.ts';

describe('orb sources and orb deliveries', function () {
  this.timeout(180_000);
  let served: Served;
  before(async () => {
    served = createServed();
    await served.start();
  });
  after(() => served.remove());

  const orb = (...args: string[]) => {
    const ran = served.orb(...args);
    expect(ran.status, ran.stderr).to.equal(0);
    return ran.stdout;
  };

  it('make a source, test it, rotate its secret, and show what came of it', () => {
    const made = JSON.parse(orb('sources', 'create', 'grafana', 'alerts', '--may-name-component', 'runtime', '--json'));
    const id = made.source.source_id as string;
    expect(made.source.may_name.components).to.deep.equal(['runtime']);
    expect(orb('sources', 'list')).to.match(new RegExp(`${id} +grafana +alerts +signature +1 +active +never`));
    expect(orb('sources', 'setup', id))
      .to.include('/hooks/{source_token}')
      .and.include('hmacConfig');
    const [delivery = ''] = orb('sources', 'test', id).split(' ');
    expect(delivery).to.match(/^dlv_/);
    expect(orb('sources', 'add-secret', id)).to.match(/^secret 2 {2}\S{43}\n$/);
    expect(orb('sources', 'remove-secret', id, '1', '--yes')).to.include('removed secret 1');
    expect(orb('sources', 'show', id))
      .to.match(/may name +runtime/)
      .and.match(/secret 2 +until no end/);
    expect(orb('deliveries', 'list', '--source', id)).to.include(delivery);
    expect(JSON.parse(orb('deliveries', 'replay', delivery, '--dry-run', '--json'))).to.include({ unchanged: 1 });
    expect(JSON.parse(orb('deliveries', 'replay', delivery, '--json'))).to.deep.equal({ queued: 1 });
    expect(orb('deliveries', 'replay', '--source', id, '--dry-run')).to.equal('0 fit, 0 queued\n');
    expect(orb('sources', 'delete', id, '--yes')).to.include(`deleted ${id}`);
    expect(served.orb('sources', 'show', id).stderr).to.include('there is no source');
  });
});
