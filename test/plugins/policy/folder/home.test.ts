import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { policyHome } from '../../../../plugins/policy/folder/home.ts';

describe('the policies that a home inherits', () => {
  let base: string;
  const listed = { 'a.rego': 'package a', 'data.json': '{}', 'README.md': 'about' };
  const digests = () =>
    new Map(Object.entries(listed).map(([path, text]) => [path, createHash('sha256').update(text).digest('hex')]));
  const write = (path: string, text: string): void => writeFileSync(join(base, path), text);
  const read = async () => {
    const { files, diagnostics } = await policyHome(base, { folder: join(base, 'shipped'), digests }).read();
    return [files.map(({ path }) => path), diagnostics.map(({ code, file }) => `${code} ${file}`)];
  };
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'orb-inherited-'));
    mkdirSync(join(base, 'shipped'));
    for (const [path, text] of Object.entries(listed)) write(`shipped/${path}`, text);
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  it('are the shipped files: others in that folder do not count, whatever they hold', async () => {
    write('shipped/mine.rego', 'not Rego');
    mkdirSync(join(base, 'shipped/broken.rego'));
    expect(await read()).to.deep.equal([['a.rego', 'data.json'], []]);
  });

  it('have an error when one was changed or is missing, so that they do not come into force', async () => {
    write('shipped/a.rego', 'package b');
    rmSync(join(base, 'shipped/data.json'));
    rmSync(join(base, 'shipped/README.md'));
    expect(await read()).to.deep.equal([[], ['not_shipped a.rego', 'not_shipped data.json']]);
  });

  it('are none once the home has a folder of its own, where every file counts', async () => {
    mkdirSync(join(base, 'policies'));
    write('policies/mine.rego', 'package mine');
    write('shipped/a.rego', 'package b');
    expect(await read()).to.deep.equal([['mine.rego'], []]);
  });
});
