import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { bomOf } from '../../../plugins/release/build/parts/cyclonedx.ts';
import { isFit, licenceOf } from '../../../plugins/release/build/parts/licence.ts';
import { noticeOf } from '../../../plugins/release/build/parts/notice-page.ts';
import { packageFolders } from '../../../plugins/kit/binary/contents.ts';
import { npmParts, npmPurl } from '../../../plugins/release/build/parts/npm.ts';
import { expectFit, type Part } from '../../../plugins/release/build/parts/part.ts';

const source = { commit: 'c'.repeat(40), epoch: 1_700_000_000 };
const program = { version: '1.0.0', target: 'linux-x64', source };
const node = 'pkg:generic/node@24.0.0';
const parts: readonly Part[] = [
  { name: 'node', version: '24.0.0', purl: node, licence: 'MIT', text: 'text of Node' },
  { name: 'tz', version: '2026c', purl: 'pkg:generic/tz@2026c', licence: 'LicenseRef-public-domain', of: node },
  { name: '@a/b', version: '1.0.0', purl: npmPurl('@a/b', '1.0.0'), licence: '(MIT OR Apache-2.0)', text: 'shared' },
  { name: 'c', version: '2.0.0', purl: npmPurl('c', '2.0.0'), licence: 'ISC', text: 'shared', sha512: 'ab'.repeat(64) },
];

type Json = Record<string, unknown>;

describe('the list of what an executable holds', () => {
  it('is the same whatever the order of the parts', () => {
    expect(JSON.stringify(bomOf([...parts].reverse(), program))).to.equal(JSON.stringify(bomOf(parts, program)));
  });

  it('names each part once, with its licence, and what holds it', () => {
    const bom = bomOf(parts, program) as { components: Json[]; dependencies: { ref: string; dependsOn: string[] }[] };
    const licences = bom.components.map(({ licenses, purl }) => [purl, (licenses as Json[])[0]]);
    expect(Object.fromEntries(licences)).to.deep.equal({
      [node]: { license: { id: 'MIT' } },
      'pkg:generic/tz@2026c': { license: { name: 'public-domain' } },
      'pkg:npm/%40a/b@1.0.0': { expression: '(MIT OR Apache-2.0)' },
      'pkg:npm/c@2.0.0': { license: { id: 'ISC' } },
    });
    expect(bom.components.find(({ purl }) => purl === 'pkg:npm/%40a/b@1.0.0')).to.include({ group: '@a', name: 'b' });
    const [own, ...held] = bom.dependencies;
    expect(own?.dependsOn).to.deep.equal([node, 'pkg:npm/%40a/b@1.0.0', 'pkg:npm/c@2.0.0']);
    expect(held.find(({ ref }) => ref === node)?.dependsOn).to.deep.equal(['pkg:generic/tz@2026c']);
  });

  it('names the commit and its time, or neither', () => {
    const metadata = (described: Parameters<typeof bomOf>[1]): Json =>
      (bomOf(parts, described) as Json)['metadata'] as Json;
    expect(metadata(program)).to.deep.include({
      timestamp: '2023-11-14T22:13:20.000Z',
      properties: [{ name: 'agent-orb:commit', value: source.commit }],
    });
    expect(metadata({ version: '1.0.0', target: 'linux-x64' })).to.have.all.keys('component');
  });

  it('has a serial number that is a UUID, and changes with the parts', () => {
    const serial = (list: readonly Part[]): unknown => (bomOf(list, program) as Json)['serialNumber'];
    expect(serial(parts)).to.match(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(serial(parts.slice(1))).to.not.equal(serial(parts));
  });

  it('refuses a licence that is unknown or not fit, and names the part', () => {
    expect(() => expectFit(parts, () => true)).to.not.throw();
    const bad: Part = { name: 'd', version: '1.0.0', purl: npmPurl('d', '1.0.0'), licence: '' };
    expect(() => expectFit([...parts, bad], (licence) => licence !== '')).to.throw('pkg:npm/d@1.0.0 (none)');
    const copyleft = { ...bad, licence: 'GPL-3.0-only' };
    expect(() => expectFit([copyleft], (licence) => isFit(licence))).to.throw('pkg:npm/d@1.0.0 (GPL-3.0-only)');
  });

  it('names parts of one text together in the notice, and prints each text once', () => {
    const notice = noticeOf(parts, '1.0.0');
    expect(notice.split('shared')).to.have.length(2);
    expect(notice).to.contain('@a/b 1.0.0 ((MIT OR Apache-2.0))\nc 2.0.0 (ISC)\n\nshared\n');
    expect(notice).to.contain('tz 2026c (LicenseRef-public-domain), part of node\n');
  });
});

describe('the packages in bundles', () => {
  let root: string;
  before(() => {
    root = mkdtempSync(join(tmpdir(), 'orb-parts-'));
    const place = (folder: string, manifest: object, licence?: string): void => {
      mkdirSync(join(root, folder), { recursive: true });
      writeFileSync(join(root, folder, 'package.json'), JSON.stringify(manifest));
      if (licence !== undefined) writeFileSync(join(root, folder, 'LICENSE'), licence);
    };
    place('node_modules/a', { name: 'a', version: '1.0.0', license: 'MIT' }, 'text of a\n');
    place('node_modules/a/node_modules/@s/b', { name: '@s/b', version: '2.0.0' });
    place('node_modules/@s/b', { name: '@s/b', version: '2.0.0' });
    const integrity = `sha512-${Buffer.from('00ff', 'hex').toString('base64')}`;
    const packages = {
      'node_modules/a': { version: '1.0.0', integrity },
      'node_modules/a/node_modules/@s/b': { version: '2.0.0' },
      'node_modules/@s/b': { version: '2.0.0' },
    };
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages }));
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  const inputs = [
    'node_modules/a/lib/index.js',
    'node_modules/a/node_modules/@s/b/x.js',
    '../elsewhere/node_modules/@s/b/y.js',
    'kernel/main.ts',
  ];
  const folders = ['node_modules/@s/b', 'node_modules/a', 'node_modules/a/node_modules/@s/b'];

  it('are found by the paths of their files, also below other packages', () => {
    expect(packageFolders(inputs)).to.deep.equal(folders);
  });

  it('are described by package.json, the lock file and their texts; two copies are one part', () => {
    expect(npmParts(root, folders)).to.deep.equal([
      { name: '@s/b', version: '2.0.0', purl: 'pkg:npm/%40s/b@2.0.0', licence: '', text: '' },
      { name: 'a', version: '1.0.0', purl: 'pkg:npm/a@1.0.0', licence: 'MIT', text: 'text of a', sha512: '00ff' },
    ]);
  });

  it('must be the ones of the lock file', () => {
    const other = { packages: { 'node_modules/a': { version: '1.0.1' } } };
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify(other));
    expect(() => npmParts(root, ['node_modules/a'])).to.throw('package-lock.json names 1.0.1');
  });
});

describe('the licence of a text', () => {
  const mit = 'Permission is hereby granted, free of charge, to any person obtaining a copy';
  const bsd = 'Redistribution and use in source and binary forms, with or without modification';
  const cases: readonly (readonly [text: string, licence: string | undefined])[] = [
    [mit, 'MIT'],
    [bsd, 'BSD-2-Clause'],
    [`${bsd}\nNeither the name of Google`, 'BSD-3-Clause'],
    [`${mit}\nApache License\n   Version 2.0`, 'Apache-2.0 AND MIT'],
    ['All rights reserved.', undefined],
  ];
  for (const [text, licence] of cases)
    it(`is ${licence ?? 'unknown'}`, () => {
      expect(licenceOf(text)).to.equal(licence);
    });
});
