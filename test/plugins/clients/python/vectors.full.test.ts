import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifySignature } from '../../../../plugins/receipts/format/ed25519.ts';
import { packageDir } from '../../../helpers/folder.ts';
import { need } from '../../../helpers/needs.ts';
import { expectedLines, lineOf, readVectors } from '../vector-lines.ts';
import { vectorsFolder } from '../vectors/files.ts';
import { mutants, seeded } from '../vectors/mutants.ts';
import { keySets, resultOf } from '../vectors/receipts.ts';
import { installWheel, type InstalledWheel } from './installed.ts';

describe('the Python client, by the vectors of all clients', function () {
  this.timeout(120_000);
  let installed: InstalledWheel;
  before(async function () {
    need(this, 'python');
    installed = await installWheel();
  });
  after(() => installed?.remove());

  const lines = async (file: string, folder = vectorsFolder): Promise<readonly string[]> => {
    const program = join(packageDir, 'test/plugins/clients/python/lines.py');
    const printed = await installed.run([program, folder, file]);
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

  it('judges signed changes of statements, and changes of artefacts, as the server does', async () => {
    const judged = mutants(Number(process.env['CLIENT_MUTANTS'] ?? 300), seeded(1)).map((text, at) => ({
      ...{ name: String(at), text, result: resultOf(text, 'pinned', { verifySignature }) },
    }));
    // Scores and decisions are what it leaves unchecked.
    const left = ['score_recomputes', 'approval_matches'];
    const cases = judged.filter(({ result }) => result.verified || !left.includes(result.check));
    const documents = Object.fromEntries(judged.map(({ name, text }) => [name, text]));
    const plain = cases.map(({ name, result }) => ({ name, base: name, result }));
    writeFileSync(
      join(installed.folder, 'receipts.json'),
      JSON.stringify({ key_sets: keySets, documents, cases: plain }),
    );
    const found = await lines('receipts', installed.folder);
    const differ = found.flatMap((line, at) =>
      line === lineOf('receipts', plain[at]?.name ?? '', plain[at]?.result) ? [] : [{ line, ...cases[at] }],
    );
    expect(differ).to.deep.equal([]);
    expect(found.length)
      .to.equal(cases.length)
      .and.to.be.greaterThan(judged.length / 2);
  });
});
