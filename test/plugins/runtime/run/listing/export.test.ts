import { expect } from 'chai';
import { startPlatform, type TestPlatform } from '../../../../helpers/platform.ts';

/** A field of a line that `csvLine` wrote: none here holds a quote. */
const cellsOf = (line: string): readonly string[] => line.split(',').map((cell) => cell.replace(/^"(.*)"$/, '$1'));

describe('GET /runs/export', function () {
  let platform: TestPlatform;
  let caller: string;
  before(async () => {
    platform = await startPlatform({
      data: { 'orbisets/other.json': { id: 'other', tenant: 'default', orbs: ['*'] } },
    });
    caller = await platform.key({ scopes: ['orbs:execute'] });
    // More than a page of the list.
    for (let at = 0; at < 105; at += 1) await run('default');
    await run('other');
    await run('other', caller);
    const later = new Date(Date.now() + 3_600_000).toISOString();
    await platform.call('POST', '/orbisets/other/execute', { ...echo, mode: 'async', run_at: later });
  });
  after(() => platform.stop());

  const echo = { orb_id: 'demo.echo@1.0.0', inputs: { text: 'x' } };
  const run = (orbiset: string, key?: string) => platform.call('POST', `/orbisets/${orbiset}/execute`, echo, key);
  const rows = async (query = '', key?: string): Promise<readonly Readonly<Record<string, string>>[]> => {
    const { status, body } = await platform.call('GET', `/runs/export${query}`, undefined, key);
    expect(status).to.equal(200);
    const [head = [], ...lines] = String(body).trimEnd().split('\r\n').map(cellsOf);
    return lines.map((cells) => Object.fromEntries(head.map((name, at) => [name, cells[at] ?? ''])));
  };

  it('has the runs of the list, in its order, on lines that end as RFC 4180 says', async () => {
    const { headers, body } = await platform.call('GET', '/runs/export');
    expect(headers.get('content-type')).to.equal('text/csv; charset=utf-8; header=present');
    expect(headers.get('content-disposition')).to.equal('attachment; filename="runs.csv"');
    const lines = String(body).split('\r\n');
    expect(lines.at(-1)).to.equal('');
    expect(lines.filter((line) => line.includes('\n'))).to.deep.equal([]);
    const listed = [];
    for (let cursor = ''; ;) {
      const page = (await platform.call('GET', `/runs?limit=50${cursor}`)).body;
      listed.push(...page.runs.map(({ run_id }: { run_id: string }) => run_id));
      if (page.next_cursor === undefined) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(listed).to.have.length(108);
    expect((await rows()).map(({ run_id }) => run_id)).to.deep.equal(listed);
  });

  it('has what the list says of a run', async () => {
    const [listed] = (await platform.call('GET', '/runs?orbiset_id=other&status=completed')).body.runs;
    const [exported] = await rows('?orbiset_id=other&status=completed');
    const { delivery: _, ...given } = listed;
    const texts = Object.entries(given).map(([name, value]) => [name, String(value)]);
    expect(exported).to.include(Object.fromEntries(texts));
  });

  it('takes the filters of the list', async () => {
    expect(await rows('?orbiset_id=other')).to.have.length(3);
    expect(await rows('?orbiset_id=other&status=queued')).to.have.length(1);
    expect(await rows('?from=2040-01-01')).to.deep.equal([]);
    const { status, body } = await platform.call('GET', '/runs/export?status=fialed');
    expect([status, body.code]).to.deep.equal([400, 'invalid_parameter']);
    expect(body.errors[0].detail).to.contain('did you mean failed?');
  });

  it('has only the runs of a caller without runs:read', async () => {
    expect(await rows('', caller)).to.have.length(1);
    const none = await platform.key({ scopes: ['stats:read'] });
    expect((await platform.call('GET', '/runs/export', undefined, none)).body.code).to.equal('insufficient_scope');
  });
});
