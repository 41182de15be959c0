import { expect } from 'chai';
import { join } from 'node:path';
import { packageDir } from '../../../helpers/folder.ts';
import { need } from '../../../helpers/needs.ts';
import { expectedLines, readVectors } from '../vector-lines.ts';
import { vectorsFolder } from '../vectors/files.ts';
import { installWheel, type InstalledWheel } from './installed.ts';

describe('the Python client, by the vectors of all clients', function () {
  this.timeout(120_000);
  let installed: InstalledWheel;
  before(async function () {
    need(this, 'python');
    installed = await installWheel();
  });
  after(() => installed?.remove());

  const lines = async (file: string): Promise<readonly string[]> => {
    const program = join(packageDir, 'test/plugins/clients/python/lines.py');
    const printed = await installed.run([program, vectorsFolder, file]);
    return printed.trimEnd().split('\n');
  };

  for (const file of ['approvals', 'paging', 'problems', 'receipts', 'scripts', 'streams', 'webhooks'])
    it(`prints the lines of ${file}`, async () => {
      expect(await lines(file)).to.deep.equal(expectedLines(file));
    });

  it('accepts no mutation of a receipt', async () => {
    expect(readVectors<{ count: number }>('mutations').count).to.be.at.least(3000);
    expect(await lines('mutations')).to.deep.equal(['mutations 0']);
  });

  it('pins the keys that a change of a key names', async () => {
    const cases = readVectors<{ cases: readonly { name: string; pinned: readonly string[] }[] }>('changes').cases;
    expect(cases.length).to.be.at.least(3);
    expect(await lines('changes')).to.deep.equal(
      cases.map(({ name, pinned }) => `changes ${name} ${JSON.stringify(pinned)}`),
    );
  });
});
