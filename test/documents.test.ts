import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect } from 'chai';
import { startCommand, v8Flags } from '../kernel/binary/flags.ts';
import { builtin } from '../kernel/builtin.ts';
import { packageDir } from '../kernel/boot/config.ts';
import type { Route } from '../kernel/http/route.ts';
import { scopesOf } from '../kernel/kernel.ts';
import type { JsonSchema } from '../kernel/tools/schema.ts';
import { platformFile, variables } from '../kernel/boot/settings.ts';
import { guideBlocks } from './helpers/guide.ts';
import { startPlatform, type TestPlatform } from './helpers/platform.ts';
import { expectTable, readReadme } from './helpers/readme.ts';
import { describingRoutes, shippedProblems } from './helpers/shipped.ts';

const byName = <T>(items: Readonly<Record<string, T>>): [string, T][] =>
  Object.entries(items).sort(([one], [other]) => (one < other ? -1 : 1));
interface Package {
  readonly engines: { readonly node: string };
}

const guides = ['kernel/cli', 'kernel/http', 'kernel/kit', 'plugins/marketplace', 'plugins/receipts'].map(
  (folder) => `${folder}/README.md`,
);
const code = (text: string): string => `\`${text}\``;

/** Scopes that no route names because a decision asks for them, or a handler beside its route's own scope. */
const beyondRoutes: readonly string[] = ['receipts:disclose'];

describe('the tables of the README', () => {
  let platform: TestPlatform;
  let routes: readonly Route[];
  before(async () => {
    platform = await startPlatform();
    routes = [...platform.kernel.routes, ...describingRoutes].sort((one, other) =>
      titleOf(one) < titleOf(other) ? -1 : 1,
    );
  });
  after(() => platform.stop());

  it('list every problem with its status, title and whether it may be repeated', () => {
    const rows = [...shippedProblems.values()].map((type) => [
      code(type.code),
      String(type.status),
      type.title,
      type.retryable ? 'yes' : 'no',
    ]);
    expectTable('Problems', rows);
  });

  it('list every scope with its title, its reach and the routes that need it', () => {
    const rows = byName(scopesOf(builtin.plugins)).map(([name, { title, installation, narrowable }]) => [
      code(name),
      title,
      installation === true ? 'installation' : 'tenant',
      narrowable === true ? 'yes' : 'no',
      routes
        .filter(({ scope }) => [scope].flat().includes(name))
        .map((route) => code(titleOf(route)))
        .join(', '),
    ]);
    expectTable('Scopes', rows);
  });

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

  it('list every public route, and no route that needs a key', () => {
    const open = routes.filter((route) => route.public === true);
    expectTable(
      'Public routes',
      open.map((route) => [code(titleOf(route)), route.summary]),
    );
  });

  it('are right about the public routes: those answer without a key, no other does', async () => {
    for (const route of routes) {
      const path = route.path.replace(/\{[^}]+\}/g, 'x');
      const { status } = await platform.call(route.method, path, undefined, null);
      const title = `${titleOf(route)} answered ${status}`;
      if (route.public === true) expect(status, title).not.to.equal(401);
      // From the 61st on the address has failed too often; no key, no answer all the same.
      else expect(status, title).to.be.oneOf([401, 429]);
    }
  });

  it('list every member of platform.json that has a description', () => {
    const rows = membersOf(platformFile, '').map(([name, text]) => [code(name), text]);
    expect(rows.length).to.be.greaterThan(Object.keys(platformFile.properties).length);
    expectTable('Configuration', rows);
    const undescribed = Object.entries(platformFile.properties).filter(([, member]) => !('description' in member));
    expect(undescribed).to.deep.equal([]);
  });

  it('list every environment variable', () => {
    const rows = Object.entries(variables).map(([name, text]) => [code(name), text]);
    expectTable('Environment variables', rows);
  });

  it('list every metric with its type', async () => {
    const { body } = await platform.call('GET', '/metrics');
    const lines = [...String(body).matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)$/gm)];
    const rows = lines
      .map(([, name = '', help = '', type = '']) => [code(name), type, help])
      .filter(([name = '']) => !/^`orb_(process|nodejs)_/.test(name));
    expect(rows.length).to.be.greaterThan(3);
    expectTable('Metrics', rows.sort());
  });

  it('list every command', () => {
    expectTable(
      'Commands',
      commandsOf([]).map(([words, summary]) => [code(words), summary]),
    );
  }).timeout(300_000);
});

describe('the documents', () => {
  it('link to files that exist', () => {
    for (const name of ['README.md', 'CHANGELOG.md', 'SECURITY.md']) {
      const links = [...readFileSync(join(packageDir, name), 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)\)/g)];
      for (const [, target = ''] of links)
        expect(existsSync(join(packageDir, target)), `${name}: ${target}`).to.be.true;
    }
  });

  it('name files of the tree that exist', () => {
    const named = readReadme().matchAll(/`((?:kernel|plugins|providers|test|data)\/[\w./-]+\.\w+)`/g);
    for (const [, path = ''] of named) {
      if (path.startsWith('data/state/')) continue;
      expect(existsSync(join(packageDir, path)), path).to.equal(true);
    }
  });

  it('give a supervisor the command by which npm start serves, with its flags', () => {
    expect(v8Flags.length).to.be.greaterThan(0);
    expect(readReadme().replace(/\s+/g, ' ')).to.include(`\`${startCommand}\``);
  });

  it('define every variable of a block above it', () => {
    const given = new Set(['HOME', 'PATH', 'PWD']);
    const all = ['README.md', 'CHANGELOG.md', 'policies/README.md', ...guides];
    const undefinedIn = all.flatMap((path) => {
      const known = new Set(given);
      return guideBlocks(path)
        .filter(({ language }) => language === 'sh')
        .flatMap(({ code }) => {
          for (const [, name = ''] of code.matchAll(/(?:^|[\s;(])([A-Z_]+)=/gm)) known.add(name);
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
    const least = /any Node (\d+\.\d+) or newer/.exec(readReadme())?.[1] ?? '';
    expect([engines.node, lock.packages[''].engines.node]).to.deep.equal([`>=${least}`, `>=${least}`]);
  });

  it('tell the changes of the version that runs', () => {
    const { version } = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8')) as { version: string };
    expect(readFileSync(join(packageDir, 'CHANGELOG.md'), 'utf8')).to.include(`\n## [${version}]`);
  });

  it('keep the style guide within 60 lines', () => {
    const guide = /^## Style\n([^]*?)^`npm run check`/m.exec(readReadme())?.[1] ?? '';
    const lines = guide.split('\n').filter((line) => line !== '');
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

/** Names every described member by its path: `listen[].tls.cert`. */
function membersOf(schema: JsonSchema, path: string): [string, string][] {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  return Object.entries(properties).flatMap(([name, member]) => {
    const own = path === '' ? name : `${path}.${name}`;
    const { description, items } = member;
    const below = [
      ...membersOf(member, own),
      ...(typeof items === 'object' ? membersOf(items as JsonSchema, `${own}[]`) : []),
    ];
    return typeof description === 'string' ? [[own, description], ...below] : below;
  });
}

/** Reads the commands from the help, down to those that run. */
function commandsOf(words: readonly string[]): (readonly [string, string])[] {
  const program = join(packageDir, 'kernel/orb.js');
  const help = execFileSync(process.execPath, [program, ...words, '--help'], { encoding: 'utf8' });
  const list = /^Commands:\n([^]*)/m.exec(help)?.[1] ?? '';
  // A long summary goes on in the next line, further to the right.
  const lines = list.replace(/\n {4,}/g, ' ').split('\n');
  return lines.flatMap((line) => {
    const [, term = '', summary = ''] = /^ {2}(\S.*?)(?: {2,}(.+))?$/.exec(line) ?? [];
    const [name = '', ...rest] = term.split(' ').filter((word) => word !== '[options]');
    if (name === '' || name === 'help') return [];
    if (!term.includes('[options]')) return commandsOf([...words, name]);
    return [[['orb', ...words, name, ...rest].join(' '), summary] as const];
  });
}

/** Lists the files of the tree, without what .gitignore leaves out. */
function tracked(root: string): readonly string[] {
  const left = new Set(['.git', 'node_modules', 'dist', 'coverage', 'data/state']);
  const walk = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      const name = relative(root, path);
      if (left.has(name) || name.endsWith('.log')) return [];
      return entry.isDirectory() ? walk(path) : [name];
    });
  return walk(root);
}
