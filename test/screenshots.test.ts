import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { digests, nameOf, page, picturePage, pictures, schemes, screenSources } from './screenshots/sources.ts';

const mostBytes = 60 * 1024;

describe('the pictures of the console', () => {
  const sources = screenSources();
  const made = JSON.parse(readFileSync(digests, 'utf8')) as Readonly<Record<string, string>>;

  it('are of the screens as they are: npm run screenshots makes them again', () => {
    expect(sources.size).to.be.greaterThan(30);
    // Several screens may be one component, but few are.
    expect(new Set(sources.values()).size).to.be.greaterThan(sources.size * 0.8);
    const old = [...sources].filter(([path, digest]) => made[path] !== digest).map(([path]) => path);
    expect(old.join(' '), `npm run screenshots -- ${old.join(' ')}`).to.equal('');
    expect(Object.keys(made).filter((path) => !sources.has(path))).to.deep.equal([]);
  });

  it('are all on their page of the documentation', () => {
    expect(readFileSync(page, 'utf8')).to.equal(picturePage());
  });

  it('are WebP files of at most 60 KB, light and dark, and no others', () => {
    const names = Object.keys(made).flatMap((path) => schemes.map((scheme) => `${nameOf(path)}-${scheme}.webp`));
    expect(new Set(names).size).to.equal(names.length);
    expect(readdirSync(pictures).filter((name) => name.endsWith('.webp'))).to.have.members(names);
    for (const name of names) {
      const bytes = existsSync(join(pictures, name)) ? readFileSync(join(pictures, name)) : Buffer.alloc(0);
      expect(bytes.length, name).to.be.within(1, mostBytes);
      expect(bytes.toString('latin1', 8, 12), name).to.equal('WEBP');
    }
  });
});
