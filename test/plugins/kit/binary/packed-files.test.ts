import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { packFiles } from '../../../../plugins/kit/binary/packed-files.ts';

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('what the executable holds of data/ and policies/', () => {
  let root: string;
  let checkout: string;
  let to: string;
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(checkout, path)), { recursive: true });
    writeFileSync(join(checkout, path), text);
  };
  const shipped = { 'data/orbs/a.json': '{}', 'data/platform.example.json': '{}', 'policies/a.rego': 'package a' };
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'orb-packed-'));
    [checkout, to] = [join(root, 'checkout'), join(root, 'to')];
    for (const [path, text] of Object.entries(shipped)) write(path, text);
    const list = Object.entries(shipped).map(([path, text]) => [path, digest(text)]);
    write('data/shipped.json', JSON.stringify(Object.fromEntries(list)));
    write('data/state/store.db', 'never');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const pack = (withLocalFiles = false): void => packFiles(checkout, to, { withLocalFiles });
  const packed = (): Readonly<Record<string, string>> =>
    Object.fromEntries(
      readdirSync(to, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .map((path) => [path.slice(to.length + 1), readFileSync(path, 'utf8')]),
    );

  it('is what is listed, with the list', () => {
    pack();
    const { 'data/shipped.json': list = '', ...files } = packed();
    expect(files).to.deep.equal(shipped);
    expect(JSON.parse(list)).to.deep.equal(JSON.parse(readFileSync(join(checkout, 'data/shipped.json'), 'utf8')));
  });

  for (const path of ['data/platform.json', 'data/orbs/mine.json', 'data/orbs/a.sig', 'policies/mine.rego'])
    it(`is refused while ${path} is there, by name`, () => {
      write(path, 'mine');
      expect(() => pack()).to.throw(
        `${path} does not ship (move it out of the checkout); or build with --with-local-files`,
      );
    });

  it('is refused when a listed file was changed or is missing, by name', () => {
    write('policies/a.rego', 'package b');
    rmSync(join(checkout, 'data/orbs/a.json'));
    expect(() => pack()).to.throw(
      'policies/a.rego is not the shipped one (restore it), data/orbs/a.json is missing (restore it); or build with',
    );
  });

  it('is all that is there but the state, when that is wanted, and the list names it', () => {
    write('data/platform.json', '{"log_level":"warn"}');
    write('policies/a.rego', 'package b');
    pack(true);
    const { 'data/shipped.json': list = '', ...files } = packed();
    expect(files).to.deep.equal({
      ...shipped,
      'data/platform.json': '{"log_level":"warn"}',
      'policies/a.rego': 'package b',
    });
    expect(JSON.parse(list)).to.deep.equal(
      Object.fromEntries(Object.entries(files).map(([path, text]) => [path, digest(text)])),
    );
  });
});
