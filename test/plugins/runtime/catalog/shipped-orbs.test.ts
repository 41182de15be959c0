import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { catalogOf, dataFolders, readCatalog } from '../../../../plugins/runtime/catalog/catalog.ts';
import { createOrb } from '../../../../plugins/runtime/catalog/orb.ts';
import { packageDir } from '../../../helpers/folder.ts';

const folder = join(packageDir, 'data/orbs');
const file = 'demo.echo@1.0.0.json';

describe('the Orbs that ship', () => {
  let home = '';
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'orb-shipped-'));
    mkdirSync(join(home, 'data/orbs'), { recursive: true });
  });
  afterEach(() => rmSync(home, { recursive: true }));

  for (const name of readdirSync(folder).filter((one) => one.endsWith('.json')))
    it(`${name} is sound, since a start does not compile it`, () => {
      const faults: string[] = [];
      createOrb(JSON.parse(readFileSync(join(folder, name), 'utf8')), faults);
      expect(faults).to.deep.equal([]);
    });

  it('are one object for all homes, which checks inputs as ever', () => {
    const [orb, same] = [catalogOf(home), catalogOf(packageDir)].map(({ orbs }) => orbs.get('demo.echo@1.0.0'));
    expect(orb).to.be.an('object').and.to.equal(same);
    expect(orb?.inputs.validate({ text: 'hello' })).to.deep.equal([]);
    expect(orb?.inputs.validate({ text: 1 })).to.have.lengthOf(1);
    expect(orb?.inputs.absent).to.equal(false);
  });

  it('are compiled at the start where a home has changed them', () => {
    const manifest = JSON.parse(readFileSync(join(folder, file), 'utf8')) as object;
    const faulty = { ...manifest, inputs_schema: { type: 'object', properties: { text: { $ref: '#/$defs/none' } } } };
    writeFileSync(join(home, 'data/orbs', file), JSON.stringify(faulty));
    const faults: string[] = [];
    readCatalog(dataFolders(home), faults);
    expect(faults.join()).to.include(`orbs/${file}/inputs_schema`);
  });
});
