import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect } from 'chai';
import { minVersion, rsort, satisfies } from 'semver';
import { startCommand, v8Flags } from '../plugins/kit/binary/flags.ts';
import { builtin, describingRoutes } from './helpers/shipped.ts';
import { packageDir } from './helpers/folder.ts';
import type { Route } from '../kernel/index.ts';
import { scopesOf } from '../kernel/kernel.ts';
import { guideBlocks, readGuide } from './helpers/guide.ts';
import { pages, pagesFolder } from './helpers/pages.ts';
import { startPlatform, type TestPlatform } from './helpers/platform.ts';

interface Package {
  readonly engines: { readonly node: string };
}

/** Scopes that no route names because a decision asks for them, or a handler beside its route's own scope. */
const beyondRoutes: readonly string[] = ['receipts:disclose'];

describe('the routes that ship', () => {
  let platform: TestPlatform;
  let routes: readonly Route[];
  before(async () => {
    platform = await startPlatform();
    routes = [...platform.kernel.routes, ...describingRoutes].sort((one, other) =>
      titleOf(one) < titleOf(other) ? -1 : 1,
    );
  });
  after(() => platform.stop());

  it('know the scope of every route that is not public, and no scope without a use', () => {
    const scopes = Object.keys(scopesOf(builtin.plugins));
    const closed = routes.filter((route) => route.public !== true && route.anyKey !== true);
    const needed = ({ scope }: Route): readonly string[] => [scope ?? []].flat();
    const unknown = (route: Route) =>
      needed(route).length === 0 || needed(route).some((scope) => !scopes.includes(scope));
    expect(closed.filter(unknown).map(titleOf)).to.deep.equal([]);
    const used = new Set([...closed.flatMap(needed), ...beyondRoutes]);
    expect(scopes.filter((scope) => !used.has(scope))).to.deep.equal([]);
  });

  it('answer without a key when they are public, and no other does', async () => {
    for (const route of routes) {
      const path = route.path.replace(/\{[^}]+\}/g, 'x');
      const { status } = await platform.call(route.method, path, undefined, null);
      const title = `${titleOf(route)} answered ${status}`;
      if (route.public === true) expect(status, title).not.to.equal(401);
      // From the 61st on the address has failed too often; no key, no answer all the same.
      else expect(status, title).to.be.oneOf([401, 429]);
    }
  });
});

describe('the documents', () => {
  it('give a supervisor the command by which npm start serves, with its flags', () => {
    expect(v8Flags.length).to.be.greaterThan(0);
    const page = readGuide(`${pagesFolder}/operate/production.md`);
    expect(page.replace(/\s+/g, ' ')).to.include(`\`${startCommand}\``);
  });

  it('define every variable of a block above it', () => {
    const given = new Set(['HOME', 'PATH', 'PWD']);
    const all = ['README.md', 'CHANGELOG.md', 'policies/README.md', ...pages];
    const undefinedIn = all.flatMap((path) => {
      const known = new Set(given);
      return guideBlocks(path)
        .filter(({ language }) => language === 'sh')
        .flatMap(({ code }) => {
          const made = /(?:^|[\s;(])(?:([A-Za-z_]+)=|for (\w+) in )/gm;
          for (const [, name = '', each = ''] of code.matchAll(made)) known.add(name).add(each);
          const used = [...code.replace(/'[^']*'/g, '').matchAll(/\$\{?([A-Za-z_]\w*)/g)].map(([, name = '']) => name);
          return used.filter((name) => !known.has(name)).map((name) => `${path}: $${name}`);
        });
    });
    expect(undefinedIn).to.deep.equal([]);
  });

  it('name the least Node that package.json takes', () => {
    const { engines } = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8')) as Package;
    const lock = JSON.parse(readFileSync(join(packageDir, 'package-lock.json'), 'utf8')) as {
      packages: { '': Package };
    };
    for (const document of ['README.md', `${pagesFolder}/start.md`]) {
      const least = /any Node (\d+\.\d+) or newer/.exec(readGuide(document).replace(/\s+/g, ' '))?.[1] ?? '';
      expect([engines.node, lock.packages[''].engines.node], document).to.deep.equal([`>=${least}`, `>=${least}`]);
    }
  });

  it('let npm ci print no warning for each package that the least Node does not run', () => {
    const lock = JSON.parse(readFileSync(join(packageDir, 'package-lock.json'), 'utf8')) as {
      packages: Readonly<Record<string, Partial<Package>>>;
    };
    const least = minVersion(lock.packages['']?.engines?.node ?? '') ?? '';
    const warned = Object.values(lock.packages).filter(({ engines }) => !satisfies(least, engines?.node ?? '*'));
    const npmrc = readFileSync(join(packageDir, '.npmrc'), 'utf8');
    // npm prints five lines for each.
    if (warned.length > 1) expect(npmrc).to.match(/^loglevel=error$/m);
  });

  it('tell the changes that no version has yet, then those of the version that runs and of each before it', () => {
    const { version } = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8')) as { version: string };
    const text = readFileSync(join(packageDir, 'CHANGELOG.md'), 'utf8');
    const [first, ...headings] = [...text.matchAll(/^## (.*)$/gm)].map(([, heading = '']) => heading);
    expect(first).to.equal('[Unreleased]');
    const versions = headings.map((heading) => /^\[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$/.exec(heading)?.[1] ?? heading);
    expect(versions[0]).to.equal(version);
    expect(versions).to.deep.equal(rsort([...versions]));
  });

  it('keep the README within 8 KB, and its two commands first', () => {
    const readme = readGuide('README.md');
    expect(Buffer.byteLength(readme)).to.be.at.most(8192);
    expect(readme).to.match(/^# .+\n\n```sh\nnpm ci && npm start\nnpm ci && npm test\n```\n/);
  });

  it('keep the style guide within 60 lines', () => {
    const lines = readGuide(`${pagesFolder}/contributing/style.md`)
      .split('\n')
      .filter((line) => line !== '');
    expect(lines.length).to.be.within(20, 60);
  });
});

describe('the files of the tree', () => {
  const files = tracked(packageDir);

  it('hold no path of a machine and no address of a registry', () => {
    expect(files.length).to.be.greaterThan(100);
    // Spelt so that this file holds none of them.
    const paths = /(?<![\w.])\/(?:work|root|home\/\w+|Users\/\w+)\//;
    const hosts = /registry[.][\w-]+[.](?:org|com|net|io|dev)\b|npmm[i]rror|verd[a]ccio|artif[a]ctory|\/_np[m]\//i;
    const found = files.flatMap((name) => {
      const text = readFileSync(join(packageDir, name), 'latin1');
      return [paths.exec(text), hosts.exec(text)].flatMap((hit) => (hit === null ? [] : [`${name}: ${hit[0]}`]));
    });
    expect(found).to.deep.equal([]);
  });

  it('lock dependencies by digest, without the address they were downloaded from', () => {
    const lock = JSON.parse(readFileSync(join(packageDir, 'package-lock.json'), 'utf8')) as {
      packages: Readonly<Record<string, { resolved?: string; integrity?: string; link?: boolean }>>;
    };
    const packages = Object.entries(lock.packages).filter(([path]) => path !== '');
    expect(packages.filter(([, { resolved }]) => resolved !== undefined)).to.deep.equal([]);
    expect(packages.filter(([, { integrity }]) => integrity === undefined)).to.deep.equal([]);
  });
});

function titleOf({ method, path }: Route): string {
  return `${method} ${path}`;
}

/** Lists the files of the tree, without what .gitignore leaves out. */
function tracked(root: string): readonly string[] {
  const left = new Set(['.git', 'node_modules', 'dist', 'coverage', 'home', 'data/platform.json', 'data/state']);
  const walk = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      const name = relative(root, path);
      if (left.has(name) || name.endsWith('.log')) return [];
      return entry.isDirectory() ? walk(path) : [name];
    });
  return walk(root);
}
