import { expect } from 'chai';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDir } from '../../helpers/folder.ts';
import { drawFloors } from '../../runner/floors.ts';

const page = join(packageDir, 'plugins/docs/pages/contributing/places.md');

describe('the page that says where a change goes', () => {
  it('draws the floors of the kernel as the rule has them', () => {
    const text = readFileSync(page, 'utf8');
    const drawn = text.replace(/```text\n[^]*?```/, () => `\`\`\`text\n${drawFloors()}\n\`\`\``);
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(page, drawn);
    expect(drawn).to.equal(readFileSync(page, 'utf8'));
  });

  it('names tests that are there', () => {
    const named = [...readFileSync(page, 'utf8').matchAll(/`(test\/[\w./-]+)`/g)].map(([, path = '']) => path);
    expect(named.length).to.be.greaterThan(15);
    expect(named.filter((path) => !existsSync(join(packageDir, path)))).to.deep.equal([]);
  });
});
