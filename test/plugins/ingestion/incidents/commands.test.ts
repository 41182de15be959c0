import { expect } from 'chai';
import { createServed, type Served } from '../../../helpers/served.ts';

describe('orb incidents and orb maintenance', function () {
  this.timeout(240_000);
  let served: Served;
  before(async () => {
    served = createServed();
    await served.start();
  });
  after(() => served.remove());

  const orb = (...args: readonly string[]): string => {
    const { status, stdout, stderr } = served.orb(...args);
    expect(status, stderr).to.equal(0);
    return stdout.trim();
  };

  it('opens, lists, acknowledges, notes, resolves and shows', () => {
    expect(orb('incidents', 'list')).to.equal('none');
    const open = (title: string) => ['incidents', 'open', title, '--component', 'ingestion', '--severity', 'warning'];
    // A title that colours terminals is none.
    expect(served.orb(...open('the queue\u001b[31m is full')).stderr).to.contain('invalid_body');
    const opened = orb(...open('the queue is full'));
    expect(opened).to.match(/^inc_\S+ {2}open {2}warning .*component ingestion {2}the queue is full$/);
    const id = opened.split(' ')[0] ?? '';
    expect(orb('incidents', 'list', '--component', 'ingestion', '--state', 'unresolved')).to.include(id);
    expect(orb('incidents', 'acknowledge', id)).to.include('acknowledged');
    orb('incidents', 'note', id, 'adding workers', '--public', '--phase', 'identified');
    expect(orb('incidents', 'resolve', id, 'workers were added')).to.include('resolved');
    const shown = orb('incidents', 'show', id);
    expect(shown).to.include('reason: workers were added').and.to.include('adding workers');
    expect(shown).to.match(/^#3 .*changed: resolved, warning \(rec_\S+\)$/m);
    expect(orb('incidents', 'evidence', id)).to.match(/^receipt rec_\S+: opened .* at \d+ of ins_/m);
    expect(served.orb('incidents', 'resolve', id, 'again').status).to.not.equal(0);
  });

  it('plans, lists and ends maintenance', () => {
    const begin = new Date(Date.now() + 3_600_000).toISOString();
    const end = new Date(Date.now() + 7_200_000).toISOString();
    const planned = orb('maintenance', 'plan', 'moving', begin, end, '--provider', 'outbox', '--provider', 'echo');
    expect(planned).to.include('provider echo, provider outbox');
    const id = planned.split(' ')[0] ?? '';
    expect(orb('maintenance', 'list')).to.include(id);
    orb('maintenance', 'end', id);
    expect(orb('maintenance', 'list')).to.equal('none');
  });
});
