import { expect } from 'chai';
import { builtin, shippedProblems } from '../../helpers/shipped.ts';
import { scopesOf } from '../../../kernel/kernel.ts';
import { shippedCommands } from '../../../kernel/main.ts';
import type { JsonSchema } from '../../../kernel/index.ts';
import { platformFile, variables } from '../../../kernel/config/settings.ts';
import { letThrough } from '../../helpers/let-through.ts';
import { operationsOf, resolved, type Document } from '../../helpers/openapi.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';

describe('the reference pages of the documentation', () => {
  let platform: TestPlatform;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.stop());

  /** Reads the cells of all tables of a page, as text. */
  const rowsOf = async (path: string): Promise<readonly (readonly string[])[]> => {
    const { status, body } = await letThrough(() => platform.call('GET', path, undefined, null));
    expect(status, path).to.equal(200);
    return [...String(body).matchAll(/<tr>([^]*?)<\/tr>/g)].map(([, row = '']) =>
      [...row.matchAll(/<t[dh][^>]*>([^]*?)<\/t[dh]>/g)].map(([, cell = '']) => textOf(cell)),
    );
  };

  it('hold every problem with its status, title and whether it may be repeated', async () => {
    const wanted = [...shippedProblems.values()].map(({ code, status, title, retryable }) => [
      code,
      String(status),
      title,
      retryable ? 'yes' : 'no',
    ]);
    expect(rowsAfter(await rowsOf('/docs/reference/problems'), 'Code')).to.have.deep.members(wanted);
  });

  it('hold every scope with its title, its reach and the routes that need it', async () => {
    const wanted = Object.entries(scopesOf(builtin.plugins)).map(([name, { title, installation, narrowable }]) => [
      name,
      title.replaceAll('`', ''),
      installation === true ? 'installation' : 'tenant',
      narrowable === true ? 'yes' : 'no',
      platform.kernel.routes
        .filter(({ scope }) => [scope].flat().includes(name))
        .map(({ method, path }) => `${method} ${path}`)
        .sort()
        .join(', '),
    ]);
    expect((await rowsOf('/docs/reference/scopes')).slice(1)).to.have.deep.members(wanted);
  });

  it('hold every metric with its type', async () => {
    const { body } = await platform.call('GET', '/metrics');
    const wanted = [...String(body).matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)$/gm)]
      .map(([, name = '', help = '', type = '']) => [name, type, help])
      .filter(([name = '']) => !/^orb_(process|nodejs)_/.test(name));
    expect(wanted.length).to.be.greaterThan(30);
    expect((await rowsOf('/docs/reference/metrics')).slice(1)).to.have.deep.members(wanted);
  });

  it('hold every command with its arguments and options', async () => {
    const rows = await rowsOf('/docs/reference/cli');
    const first = new Set(rows.map(([cell]) => cell));
    for (const { path, args = [], options = [], summary } of shippedCommands()) {
      const words = args.map(({ name, optional }) => (optional === true ? `[${name}]` : `<${name}>`));
      const call = ['orb', path, ...words].join(' ');
      expect(rows, call).to.deep.include([call, summary.replaceAll('`', '')]);
      for (const term of [...words, ...options.map(({ flag }) => flag)]) expect(first, call).to.include(term);
    }
  });

  it('hold every setting, every variable and the settings of every plugin', async () => {
    const cells = new Set((await rowsOf('/docs/reference/configuration')).map(([cell]) => cell));
    const wanted = [
      ...namesIn(platformFile),
      ...Object.keys(variables),
      ...builtin.plugins.flatMap(({ config }) => namesIn(config)),
    ];
    expect(wanted.length).to.be.greaterThan(40);
    expect(wanted.filter((name) => !cells.has(name))).to.deep.equal([]);
  });

  it('hold every adapter on a page of its own, with every setting and what it means', async () => {
    const listed = (await rowsOf('/docs/providers')).slice(1).map(([name]) => name);
    expect(listed).to.have.members(builtin.adapters.map(({ name }) => name));
    for (const { name, config } of builtin.adapters) {
      const rows = (await rowsOf(`/docs/providers/${name.replace('/', '-')}`)).slice(1);
      expect(rows.map(([cell]) => cell)).to.include.members(namesIn(config));
      for (const [setting, , , meaning] of rows) expect(meaning, `${name}: ${setting}`).not.to.equal('');
    }
  });

  it('hold every route, each with a page of its parameters, body and answers', async () => {
    const document = (await platform.call('GET', '/openapi.json', undefined, null)).body as Document;
    const rows = await rowsOf('/docs/reference/api');
    const index = new Set(rows.map(([cell]) => cell));
    const keys = new Map(rows.map(([title, , key]) => [title, key]));
    for (const [title, operation] of operationsOf(document)) {
      expect(index).to.include(title);
      expect(keys.get(title) === 'none', title).to.equal(operation.security.length === 0);
      const cells = (await rowsOf(`/docs/api/${operation.operationId}`)).map(([cell]) => cell);
      const parameters = (operation.parameters ?? []).map((one) => resolved(document, one).name);
      expect(cells, title).to.include.members(parameters);
      const body = operation.requestBody?.content['application/json']?.schema ?? {};
      const members = Object.keys((resolved(document, body) as { properties?: object }).properties ?? {});
      expect(cells, title).to.include.members(members);
    }
  }).timeout(60_000);
});

/** The rows of the table whose head begins with a word, when it is the last one. */
function rowsAfter(rows: readonly (readonly string[])[], head: string): readonly (readonly string[])[] {
  return rows.slice(rows.findIndex(([cell]) => cell === head) + 1);
}

function textOf(cell: string): string {
  return cell
    .replace(/<[^>]*>/g, '')
    .replace(/&#(\d+);/g, (_, sign) => String.fromCharCode(Number(sign)))
    .replaceAll('&quot;', '"')
    .trim();
}

/** Names every member of a schema by its path: `listen[].tls.cert`. */
function namesIn(schema: JsonSchema, path = ''): string[] {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  return Object.entries(properties).flatMap(([name, member]) => {
    const own = path === '' ? name : `${path}.${name}`;
    const { items } = member;
    return [
      own,
      ...namesIn(member, own),
      ...(typeof items === 'object' ? namesIn(items as JsonSchema, `${own}[]`) : []),
    ];
  });
}
