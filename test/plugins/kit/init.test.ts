import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageDir } from '../../helpers/folder.ts';
import { writeHome } from '../../../plugins/kit/scaffold/init.ts';
import { runInThread } from '../../helpers/in-thread.ts';

describe('orb init', () => {
  let folder: string;
  beforeEach(() => void (folder = realpathSync(mkdtempSync(join(tmpdir(), 'orb-init-')))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const orb = (...args: readonly string[]) => runInThread(folder, { args, env: {} });
  const shippedPolicies = readdirSync(join(packageDir, 'policies')).map((name) => `policies/${name}`);

  it('makes a home: settings with comments, the shipped policies, a place for Orbs, what git ignores', () => {
    const { status, stdout, stderr } = orb('init', 'shop', '--json');
    expect(status, stderr).to.equal(0);
    const made = JSON.parse(stdout) as { home: string; files: string[]; next: string };
    expect(made).to.include({ home: join(folder, 'shop'), next: 'orb serve --home shop' });
    expect(made.files.sort()).to.deep.equal(
      ['.gitignore', 'data/orbs/README.md', 'data/platform.json', ...shippedPolicies].sort(),
    );
    for (const path of shippedPolicies)
      expect(readFileSync(join(folder, 'shop', path), 'utf8')).to.equal(readFileSync(join(packageDir, path), 'utf8'));
    expect(readFileSync(join(folder, 'shop/data/platform.json'), 'utf8')).to.match(/^ {2}\/\/ "listen": \[$/m);
    expect(readFileSync(join(folder, 'shop/.gitignore'), 'utf8')).to.equal('data/state/\n');
  });

  it('makes one that the check of the configuration finds sound, as the shipped one is', () => {
    orb('init', 'shop');
    const { stdout } = orb('config', 'check', '--home', 'shop', '--json');
    const found = JSON.parse(stdout) as Record<string, unknown>;
    expect(found).to.include({ home: join(folder, 'shop'), state_dir: join(folder, 'shop/data/state') });
    const shipped = JSON.parse(orb('config', 'check', '--json').stdout) as Record<string, unknown>;
    for (const name of ['plugins', 'providers', 'orbs', 'orbisets'])
      expect(found[name], name).to.deep.equal(shipped[name]);
  });

  it('prints the next command as a shell takes it', () => {
    expect(orb('init', "the orb's").stdout).to.match(/\nNext:\norb serve --home 'the orb'\\''s'\n$/);
    expect(orb('init').stdout).to.match(/\nNext:\norb serve\n$/);
  });

  it('takes the home of a call without a folder', () => {
    expect(orb('init', '--home', 'shop').status).to.equal(0);
    expect(existsSync(join(folder, 'shop/data/platform.json'))).to.equal(true);
  });

  for (const taken of ['data/platform.json', 'policies/mine.rego', 'data/orbs/README.md', '.gitignore'])
    it(`refuses a folder that has ${taken}, and writes nothing`, () => {
      mkdirSync(join(folder, taken, '..'), { recursive: true });
      writeFileSync(join(folder, taken), 'mine');
      const before = readdirSync(folder, { recursive: true });
      const { status, stderr } = orb('init', '.');
      expect(status).to.equal(1);
      expect(stderr).to.include(
        `already contains ${taken.startsWith('policies') ? 'policies' : taken}; name a new or empty`,
      );
      expect(readdirSync(folder, { recursive: true })).to.deep.equal(before);
    });

  for (const link of ['data', 'data/platform.json', 'policies'])
    it(`refuses a folder with a link ${link} to nothing, and writes nothing`, () => {
      mkdirSync(join(folder, link, '..'), { recursive: true });
      symlinkSync(join(folder, 'nothing'), join(folder, link));
      const before = readdirSync(folder, { recursive: true });
      const { status, stderr } = orb('init', '.');
      expect([status, stderr]).to.deep.equal([
        1,
        `orb: ${folder} already contains ${link}; name a new or empty folder\n`,
      ]);
      expect(readdirSync(folder, { recursive: true })).to.deep.equal(before);
    });

  it('refuses a file in the place of the folder, or of one in it', () => {
    writeFileSync(join(folder, 'file'), '');
    const names = (path: string) => `orb: ${join(folder, path)} is not a folder; name a new or empty folder\n`;
    expect(orb('init', 'file').stderr).to.equal(names('file'));
    expect(orb('init', 'file/home').stderr).to.equal(names('file'));
    mkdirSync(join(folder, 'home'));
    writeFileSync(join(folder, 'home/data'), '');
    expect(orb('init', 'home').stderr).to.equal(names('home/data'));
    expect(readdirSync(folder, { recursive: true }).sort()).to.deep.equal(['file', 'home', 'home/data']);
  });

  it('removes what it wrote when it cannot write all of it', () => {
    mkdirSync(join(folder, 'data/orbs'), { recursive: true });
    // Nothing can be written below a link to nothing.
    symlinkSync('README.md', join(folder, 'data/orbs/loop'));
    const before = readdirSync(folder, { recursive: true }).sort();
    const files = { 'a/x': '1', 'a/y': '2', 'data/orbs/loop/z': '3' };
    expect(() => writeHome(folder, files)).to.throw();
    expect(readdirSync(folder, { recursive: true }).sort()).to.deep.equal(before);
  });
});
