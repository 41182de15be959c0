import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readCatalog } from '../../../../plugins/runtime/catalog/catalog.ts';
import { recordOrb } from '../../../helpers/recorder.ts';

describe('the catalog', () => {
  let dirs: string[];
  beforeEach(() => void (dirs = [1, 2].map(() => mkdtempSync(join(tmpdir(), 'catalog-')))));
  afterEach(() => dirs.forEach((dir) => rmSync(dir, { recursive: true })));

  const file = (dir: number, name: string, value: unknown): void => {
    const path = join(dirs[dir] ?? expect.fail('no such folder'), name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
  };
  const orbiset = (id: string, tenant = 'default') => ({ id, tenant, orbs: ['*'] });
  const read = () => {
    const faults: string[] = [];
    return {
      ...readCatalog(
        dirs.map((path) => ({ path })),
        faults,
      ),
      faults,
    };
  };

  it('is empty without folders', () => {
    const { faults, orbisets, orbs } = read();
    expect([orbs.size, orbisets.size, faults]).to.deep.equal([0, 0, []]);
  });

  it('holds what the folders hold; the first folder hides a file of the same name in the next', () => {
    file(0, 'orbisets/a.json', orbiset('a', 'first'));
    file(1, 'orbisets/a.json', orbiset('a', 'second'));
    file(1, 'orbisets/b.json', orbiset('b'));
    file(1, 'orbisets/notes.txt', 'no JSON');
    file(1, 'orbs/test.record@1.0.0.json', recordOrb());
    const { faults, orbisets, orbs } = read();
    expect([[...orbs.keys()], [...orbisets.keys()], faults]).to.deep.equal([['test.record@1.0.0'], ['a', 'b'], []]);
    expect(orbisets.get('a')?.tenant).to.equal('first');
  });

  it('names the file of each fault, and leaves that file out', () => {
    file(0, 'orbisets/a.json', '{');
    file(0, 'orbisets/b.json', orbiset('c'));
    file(0, 'orbisets/d.json', { ...orbiset('d'), orbs: 1 });
    mkdirSync(join(dirs[0] ?? '', 'orbisets/e.json'));
    file(0, 'orbisets/f.json', orbiset('f'));
    const { faults, orbisets } = read();
    expect([...orbisets.keys()]).to.deep.equal(['f']);
    expect(faults.find((fault) => fault.startsWith('orbisets/a.json: cannot be read as JSON ('))).to.not.equal(
      undefined,
    );
    expect(faults).to.include('orbisets/b.json: declares c; name the file c.json');
    expect(faults.find((fault) => fault.startsWith('orbisets/d.json/orbs: '))).to.not.equal(undefined);
    expect(faults).to.include('orbisets/e.json: cannot be read as JSON (EISDIR)');
  });
});
