import { expect } from 'chai';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { floorOf } from './runner/floors.ts';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');

interface Import {
  readonly file: string;
  /** A path of the tree, or the name of a package. */
  readonly target: string;
  readonly typeOnly: boolean;
}

const files = ['kernel', 'plugins', 'providers'].flatMap((folder) =>
  (readdirSync(join(root, folder), { recursive: true }) as string[])
    .filter((file) => /\.[jt]s$/.test(file))
    .map((file) => join(folder, file)),
);
const imports = files.flatMap(importsOf);

function importsOf(file: string): Import[] {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
  const found: Import[] = [];
  const add = (specifier: string, typeOnly: boolean): void => {
    const target = specifier.startsWith('.') ? relative(root, resolve(root, dirname(file), specifier)) : specifier;
    found.push({ file, target, typeOnly });
  };
  const visit = (node: ts.Node): void => {
    if (
      (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) &&
      node.moduleSpecifier &&
      ts.isStringLiteral(node.moduleSpecifier)
    )
      add(node.moduleSpecifier.text, ts.isImportDeclaration(node) ? isTypeOnly(node) : node.isTypeOnly);
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [specifier] = node.arguments;
      if (specifier && ts.isStringLiteral(specifier)) add(specifier.text, false);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isTypeOnly({ importClause }: ts.ImportDeclaration): boolean {
  if (importClause === undefined) return false;
  if (importClause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const { name, namedBindings } = importClause;
  return (
    name === undefined &&
    namedBindings !== undefined &&
    ts.isNamedImports(namedBindings) &&
    namedBindings.elements.every((element) => element.isTypeOnly)
  );
}

const plugins = readdirSync(join(root, 'plugins')).filter((name) => !name.endsWith('.ts'));

/** Texts of a file: what strings and templates hold, import paths among them; comments are none. */
function textsOf(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isLiteralExpression(node) || ts.isTemplateMiddle(node) || ts.isTemplateHead(node) || ts.isTemplateTail(node))
      found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Names the plugins that a text names: as a word, or as a folder of `plugins/`. */
function pluginsIn(text: string): string[] {
  const folder = /plugins\/([a-z-]+)/.exec(text)?.[1];
  const words = plugins.filter((name) => new RegExp(`(?<![a-z_-])${name}(?![a-z_-])`).test(text));
  return folder === undefined ? words : [`plugins/${folder}`];
}

const shown = (found: readonly Import[]): string[] => found.map(({ file, target }) => `${file} → ${target}`);
const within = (folder: string) => (path: string) => path.startsWith(`${folder}/`);
const packaged = (name: string) => (target: string) => target === name || target.startsWith(`${name}/`);

describe('the architecture', () => {
  it('reads the imports of every file', () => {
    expect(files.length).to.be.greaterThan(40);
    expect(imports.length).to.be.greaterThan(files.length);
  });

  it('rule 1: the kernel imports nothing of plugins or providers but the list of what ships, in main.ts', () => {
    const found = imports.filter(
      ({ file, target }) => within('kernel')(file) && (within('plugins')(target) || within('providers')(target)),
    );
    expect(shown(found)).to.deep.equal(['kernel/main.ts → plugins/builtin.ts']);
  });

  const owners: readonly (readonly [string, (file: string) => boolean])[] = [
    ...['koa', '@koa/router', 'koa-body'].map((name) => [name, within('kernel/http')] as const),
    ['tapable', (file) => /^kernel\/(?:hooks|hook-answer|provider\/orb-hook)\.ts$/.test(file)],
    ['ajv', (file) => file === 'kernel/tools/schema.ts'],
    ['json-schema-to-ts', (file) => file === 'kernel/tools/schema.ts'],
    // `orb store move` copies the rows of a file as the driver gives them.
    ['better-sqlite3', (file) => within('kernel/store')(file) || file === 'plugins/postgres/move/rows.ts'],
    ['pg', within('plugins/postgres')],
    ['pino', (file) => file === 'kernel/tools/log.ts'],
    ['@prometheus-io/client', (file) => file === 'kernel/tools/metrics.ts'],
    ['markdown-it', (file) => file === 'plugins/pages/markdown.ts'],
    ['@modelcontextprotocol/client', (file) => file === 'providers/mcp/wire/client.ts'],
    ['commander', (file) => file === 'kernel/cli/program.ts'],
    ['eventsource-parser', (file) => file === 'providers/llm/wire/events.ts'],
    ['@opentelemetry', within('plugins/telemetry/otlp')],
    ['croner', (file) => file === 'plugins/schedules/slots/times.ts'],
  ];
  for (const [name, owner] of owners) {
    it(`rule 1: ${name} is imported by its owner alone`, () => {
      const users = imports.filter(({ target }) => packaged(name)(target));
      expect(shown(users.filter(({ file }) => !owner(file)))).to.deep.equal([]);
    });
  }

  // A page is a script without the kernel: it takes the files without imports whose words commands and other pages use,
  // too. One file of it has the types of all answers, which follow from the schemas of routes: a type is no code.
  const pureFiles = ['plugins/terminal/score-words.ts', 'plugins/terminal/money.ts', 'plugins/approvals/marks.ts'];
  const ofPages = ({ file, target, typeOnly }: Import): boolean =>
    (within('plugins/console/app')(file) && pureFiles.includes(target)) ||
    (file === 'plugins/console/app/frame/wire.ts' && typeOnly);
  // The build of a release joins the builds of its parts; builds share what they write packages with.
  const ofBuilds = ({ file, target }: Import): boolean =>
    /^plugins\/(?:clients|release)\/build\//.test(file) && /^plugins\/kit\/(?:binary|packages)\//.test(target);

  // What a client takes of the verifier of the server: what reads; the package holds no code of others.
  const pureVerifier = /^plugins\/receipts\/(?:format|log\/pure|verifier)\/[\w-]+\.ts$/;

  // The surfaces of the kernel, and the folders that import each.
  const surfaces: Readonly<Record<string, (own: string) => boolean>> = {
    'kernel/index.ts': within('plugins'),
    'kernel/maintenance.ts': within('plugins'),
    'kernel/outbound.ts': (own) =>
      within('providers')(own) ||
      /^plugins\/(postgres|receipts|runtime|stored-providers|subscriptions|telemetry)\/$/.test(own),
    'kernel/adapter.ts': (own) =>
      within('providers')(own) || /^plugins\/(kit|mcp|runtime|stored-providers)\/$/.test(own),
    'kernel/runner.ts': (own) => own === 'plugins/runtime/',
    'kernel/surface.ts': (own) => own === 'plugins/kit/',
    'kernel/engine.ts': (own) => own === 'plugins/operate/' || files.includes(`${own}engine.ts`),
  };

  it('rule 2: plugins and providers import the surfaces for them, their own folder and contracts of others', () => {
    const wrong = imports.filter((one) => {
      const { file, target } = one;
      const own = /^(plugins|providers)\/[^/]+\//.exec(file)?.[0];
      if (own === undefined || !/^(kernel|plugins|providers|test|data)\//.test(target)) return false;
      if (ofPages(one) || ofBuilds(one)) return false;
      if (within('plugins/clients/typescript')(file) && pureVerifier.test(target)) return false;
      if (within('kernel')(target)) return surfaces[target]?.(own) !== true;
      // What adapters share, also with code outside the tree, and the shape that doors and adapters of models share.
      if (within('providers/vendor')(target) && within('providers')(file)) return false;
      return !target.startsWith(own) && !/^(plugins\/[^/]+|providers\/(?:llm|vendor))\/contract\.ts$/.test(target);
    });
    expect(shown(wrong)).to.deep.equal([]);
  });

  it('rule 2: the files that pages of the console take, too, import nothing', () => {
    expect(imports.filter(({ file }) => pureFiles.includes(file))).to.deep.equal([]);
  });

  it('rule 2: a client imports the verifier of receipts and nothing else of the platform, and nothing imports a client', () => {
    const client = /^plugins\/clients\/(?:typescript|python|go)\//;
    const known = [client, pureVerifier, /^plugins\/clients\/(?:retry\/\w+\.json|statements\.ts)$/];
    const wrong = imports.filter(({ file, target }) =>
      client.test(file) ? !known.some((one) => one.test(target)) : client.test(target),
    );
    expect(shown(wrong)).to.deep.equal([]);
  });

  it('rule 2: adapters of one capability never import each other', () => {
    const adapter = /^providers\/([^/]+)\/(?!contract\.ts$)([^/]+)\.ts$/;
    const wrong = imports.filter(({ file, target }) => adapter.test(file) && adapter.test(target) && file !== target);
    expect(shown(wrong)).to.deep.equal([]);
  });

  it('rule 3: the tools of the kernel import no other part of it, its net and its store only them and the errors', () => {
    const allowed: Readonly<Record<string, RegExp>> = {
      'kernel/tools': /^kernel\/tools\//,
      'kernel/net': /^kernel\/(net\/|tools\/|error\.ts$)/,
      'kernel/store': /^kernel\/(store\/|tools\/|(error|health|thread)\.ts$)/,
      'kernel/error.ts': /^kernel\/tools\//,
    };
    const wrong = imports.filter(
      ({ file, target }) =>
        /^(kernel|plugins|providers)\//.test(target) &&
        Object.entries(allowed).some(([part, own]) => (file === part || within(part)(file)) && !own.test(target)),
    );
    expect(shown(wrong)).to.deep.equal([]);
  });

  it('rule 3: a folder of the kernel imports only folders of lower floors', () => {
    const placed = files.filter((file) => /^kernel\/.+\//.test(file));
    expect(placed.filter((file) => floorOf(file) === undefined)).to.deep.equal([]);
    const wrong = imports.filter(({ file, target }) => {
      const [from, to] = [floorOf(file), floorOf(target)];
      return from !== undefined && to !== undefined && from.folder !== to.folder && from.height <= to.height;
    });
    expect(shown(wrong)).to.deep.equal([]);
  });

  it('rule 4: no import goes round in a circle, types counted', () => {
    const graph = new Map<string, string[]>();
    for (const { file, target } of imports)
      if (files.includes(target)) graph.set(file, [...(graph.get(file) ?? []), target]);
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '));
      if (done.has(file) || path.includes(file)) return;
      for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
    expect(circles).to.deep.equal([]);
  });

  it('keeps files within 300 lines and the folders of these parts within 20 entries', () => {
    const lines = (file: string): number => readFileSync(join(root, file), 'utf8').split('\n').length - 1;
    const tests = (readdirSync(join(root, 'test'), { recursive: true }) as string[])
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join('test', file));
    expect([...files, ...tests].filter((file) => lines(file) > 300)).to.deep.equal([]);
    const folders = new Set(
      files
        .map((file) => dirname(file))
        .filter((f) =>
          /^(kernel\/(cli|net|store|tools)|plugins\/(kit|operate|pages|postgres|receipts|runtime))/.test(f),
        ),
    );
    expect([...folders].filter((folder) => readdirSync(join(root, folder)).length > 20)).to.deep.equal([]);
  });

  it('rule 5: the source of the kernel names no plugin, in no import and no text, but the lists of what ships', () => {
    // The kernel's own words: what decides, what a run is answered with, a heading of `orb --help`, what people and
    // databases have, a service of the API, an address in the description of a setting, one in a hint, and a command.
    const places = [
      'kernel/http/route/route.ts: ledger',
      'kernel/config/settings.ts: postgres',
      'kernel/http/server/listener.ts: openapi',
      'kernel/binary/locate.ts: demo',
    ];
    const words = ['policy', 'receipts', 'operate', 'pages', 'runtime', 'terminal', ...places];
    const own = new Set([...words, 'plugins/builtin', 'plugins/stores']);
    const found = files
      .filter((file) => within('kernel')(file))
      .flatMap((file) => textsOf(file).flatMap((text) => pluginsIn(text).map((name) => `${file}: ${name}`)));
    const wrong = found.filter((one) => !own.has(one) && !own.has(one.split(': ')[1] ?? ''));
    expect([...new Set(wrong)]).to.deep.equal([]);
  });

  it('plugins/builtin.ts and contracts.ts name every plugin, contract and adapter that ships', () => {
    const lists = ['plugins/builtin.ts', 'plugins/contracts.ts'];
    const named = imports.filter(({ file }) => lists.includes(file)).map(({ target }) => target);
    const plugins = files.filter((file) => /^plugins\/[^/]+\/(index|contract)\.ts$/.test(file));
    const adapters = files.filter(
      (file) => /^providers\/[^/]+\/[^/]+\.ts$/.test(file) && !file.endsWith('/contract.ts'),
    );
    const own = ['plugins/contracts.ts', 'plugins/kit/surface.ts'];
    const others = named.filter((target) => !within('kernel')(target) && !own.includes(target));
    expect([...new Set(others)].sort()).to.deep.equal([...plugins, ...adapters].sort());
  });

  it('plugins/stores.ts names every store that ships', () => {
    const named = imports
      .filter(({ file, typeOnly }) => file === 'plugins/stores.ts' && !typeOnly)
      .map(({ target }) => target);
    const stores = files.filter((file) => /^plugins\/([^/]+|runtime\/.+)\/store\.ts$/.test(file));
    expect(named.filter((target) => stores.includes(target)).sort()).to.deep.equal(stores.sort());
  });

  it('starts intervals in timer.ts alone, where what their work throws is caught', () => {
    const starts = files.filter((file) => readFileSync(join(root, file), 'utf8').includes('setInterval('));
    expect(starts).to.deep.equal(['kernel/tools/every.ts']);
  });

  it('is unknown to tests of behaviour: they start the program, and import what plugins import, but for 80 imports', () => {
    const own = /^(?:kernel|plugins|providers)\//;
    const open = /^kernel\/(?:adapter|index|maintenance|outbound|runner|surface)\.ts$|\/contract\.ts$|^plugins\/kit\//;
    const starting = /\b(?:startPlatform|createServed|startCluster|startConsole)\b/;
    const found = globSync('test/**/*.test.ts', { cwd: root })
      .filter((file) => starting.test(readFileSync(join(root, file), 'utf8')))
      .flatMap(importsOf)
      .filter(({ target }) => own.test(target) && !open.test(target));
    // May only get smaller.
    expect(found.map(({ file, target }) => `${file} ${target}`)).to.have.length.at.most(80);
  });

  it('no file bears a name that says nothing', () => {
    const forbidden = /(^|\/)(utils?|helpers?|common|misc|types|base|manager|handler2)\.ts$/;
    expect(files.filter((file) => forbidden.test(file))).to.deep.equal([]);
  });
});
