import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ConfigError } from '../../../kernel/error.ts';
import { openHome } from '../../../plugins/demo/home.ts';
import { chanceOf } from '../../../plugins/demo/random.ts';

describe('the home of a demonstration', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'orb-test-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is a temporary folder that is removed', () => {
    const home = openHome(undefined);
    home.write('data/orbs/a.b@1.0.0.json', { orb_id: 'a.b@1.0.0' });
    home.write('data/text.txt', 'text');
    expect(readFileSync(join(home.path, 'data/text.txt'), 'utf8')).to.equal('text');
    expect(JSON.parse(readFileSync(join(home.path, 'data/orbs/a.b@1.0.0.json'), 'utf8'))).to.have.property('orb_id');
    home.remove();
    expect(existsSync(home.path)).to.equal(false);
  });

  it('is the empty folder that was named, which stays and is empty again', () => {
    const home = openHome(folder);
    home.write('data/text.txt', 'text');
    home.remove();
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('is no folder with anything in it, which it leaves as it was', () => {
    writeFileSync(join(folder, '.hidden'), 'kept');
    expect(() => openHome(folder)).to.throw(ConfigError, 'is not empty');
    expect(readdirSync(folder)).to.deep.equal(['.hidden']);
  });
});

describe('the numbers of a seed', () => {
  const some = (seed: number): readonly number[] => {
    const { next } = chanceOf(seed);
    return Array.from({ length: 1000 }, () => next());
  };

  it('are the same each time, and others for another seed', () => {
    expect(some(7)).to.deep.equal(some(7));
    expect(some(7)).to.not.deep.equal(some(8));
  });

  it('are spread over the whole range', () => {
    const numbers = some(1);
    expect(Math.min(...numbers)).to.be.within(0, 0.01);
    expect(Math.max(...numbers)).to.be.within(0.99, 1);
    expect(new Set(numbers.map((one) => Math.floor(one * 10)))).to.have.property('size', 10);
  });
});
