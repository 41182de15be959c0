import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { generatorRules } from './helpers/generators.ts';
import { operationsOf, partsOf, resolved, undescribed, type Document } from './helpers/openapi.ts';
import { startPlatform, type TestPlatform } from './helpers/platform.ts';
import { describingRoutes, shippedProblems } from './helpers/shipped.ts';
import { updating } from './helpers/updating.ts';

const golden = new URL('golden/openapi/', import.meta.url);

const below = (path: string): readonly string[] => [`/v1${path}`, `/orbisets/{id}/v1${path}`];
const doors = ['/chat/completions', '/embeddings', '/messages', '/messages/count_tokens'].flatMap(below);
const models = ['/models', '/models/{model}'].flatMap(below);

// Answers that tell a state, or show a page, with a status of failure.
const noProblem: ReadonlySet<string> = new Set([
  'GET /docs/{page} 404',
  'GET /docs/{section}/{subpage} 404',
  'GET /health/ready 503',
  'GET /marketplace/{orb_id} 404',
  'GET /marketplace/{orb_id} 410',
  'GET /reputation/{orb_id}/badge 404',
  'POST /orbisets/{id}/mcp default',
  'GET /orbisets/{id}/mcp default',
  ...doors.map((path) => `POST ${path} default`),
  ...models.map((path) => `GET ${path} default`),
]);

describe('the OpenAPI document of the platform', () => {
  let platform: TestPlatform;
  let document: Document;
  before(async () => {
    platform = await startPlatform({ env: { ORB_PUBLIC_URL: 'https://orb.example' } });
    document = (await platform.call('GET', '/openapi.json', undefined, null)).body as Document;
  });
  after(() => platform.stop());

  const operations = (): ReturnType<typeof operationsOf> => operationsOf(document);

  it('is JSON that a page of any site may read', async () => {
    const { headers } = await fetch(`${platform.url}/openapi.json`);
    expect(headers.get('content-type')).to.equal('application/json');
    expect(headers.get('access-control-allow-origin')).to.equal('*');
  });

  it('changes only together with the golden files (UPDATE_GOLDEN=1 writes them again)', async () => {
    // The version moves with every release; what it describes is compared.
    const parts = await partsOf({ ...document, info: { ...document.info, version: '0.0.0' } });
    const names = [...parts.keys()].map((name) => `${name}.json`);
    if (updating) {
      await rm(golden, { recursive: true, force: true });
      await mkdir(golden, { recursive: true });
      for (const [name, text] of parts) await writeFile(new URL(`${name}.json`, golden), text);
    }
    expect(await readdir(golden)).to.have.members(names);
    for (const [name, text] of parts)
      expect(JSON.parse(text), name).to.deep.equal(JSON.parse(await readFile(new URL(`${name}.json`, golden), 'utf8')));
  });

  it('is small: at most 2 KB per operation on average, everything included', () => {
    const perOperation = Math.ceil(Buffer.byteLength(JSON.stringify(document)) / operations().length);
    console.log(`      ${perOperation} bytes per operation, ${operations().length} operations`);
    expect(perOperation).to.be.at.most(2048);
  });

  it('bears the version of the program', async () => {
    const { body } = await platform.call('GET', '/health', undefined, null);
    expect(document.info.version).to.equal(body.version);
  });

  it('names every route, and no other', () => {
    const routes = [...platform.kernel.routes, ...describingRoutes].map(({ method, path }) => `${method} ${path}`);
    expect(operations().map(([title]) => title)).to.have.members(routes);
  });

  it('names each operation for clients as its route declares: a verb first, in camelCase', () => {
    const nameless = [...platform.kernel.routes, ...describingRoutes].flatMap(({ method, path, operationId = '' }) =>
      /^[a-z]+[A-Za-z0-9]*$/.test(operationId) ? [] : [`${method} ${path}: add operationId: 'verbNoun' to its route`],
    );
    expect(nameless).to.deep.equal([]);
  });

  it('describes every property, parameter and header', () => {
    const silent = undescribed(document).map((place) => `${place}: add a description in the schema of its route`);
    expect(silent).to.deep.equal([]);
  });

  it('leaves no object without a word of its members', () => {
    const text = JSON.stringify(document);
    expect(
      [...text.matchAll(/.{0,120}\{"type":"object"(,"description":"[^"]*")?\}/g)].map(([found]) => found),
    ).to.deep.equal([]);
    expect([...text.matchAll(/.{0,120}"const":(true|false)/g)].map(([found]) => found)).to.deep.equal([]);
  });

  it('asks for a key exactly where the route is not public', () => {
    const open = operations().flatMap(([title, { security }]) =>
      security.length === 0 || security.some((one: object) => Object.keys(one).length === 0) ? [title] : [],
    );
    const routes = [...platform.kernel.routes, ...describingRoutes].filter((route) => route.public === true);
    expect(open).to.have.members(routes.map(({ method, path }) => `${method} ${path}`));
  });

  it('tells for each operation how it succeeds and that it may fail as problem+json', () => {
    const statuses = new Set([...shippedProblems.values()].map(({ status }) => String(status)));
    for (const [title, { responses }] of operations()) {
      expect(
        Object.keys(responses).some((status) => status.startsWith('2')),
        title,
      ).to.equal(true);
      for (const [status, answer] of Object.entries(responses)) {
        const { content = {} } = resolved(document, answer);
        if (/^[23]/.test(status) || noProblem.has(`${title} ${status}`)) continue;
        expect(statuses, title).to.include(status);
        expect(Object.keys(content), `${title} ${status}`).to.deep.equal(['application/problem+json']);
      }
    }
  });

  it('names the headers that callers may send', () => {
    const reading = (name: string): readonly string[] =>
      operations().flatMap(([title, { parameters = [] }]) =>
        parameters.map((one) => resolved(document, one)).some((one) => one.in === 'header' && one.name === name)
          ? [title]
          : [],
      );
    expect(reading('Idempotency-Key')).to.have.members([
      'POST /orbisets/{id}/execute',
      'POST /providers/{orb_id}/swap',
      'POST /providers/{name}/test',
      'POST /orbisets/{id}/schedules/{schedule_id}/run',
      'POST /marketplace/orbs/publish',
      ...doors.map((path) => `POST ${path}`),
    ]);
    expect(reading('If-Match')).to.include.members([
      'POST /providers/{orb_id}/swap',
      'POST /providers/{orb_id}/rollback',
      'PUT /policies/{id}',
    ]);
  });

  for (const [rule, faultsOf] of Object.entries(generatorRules))
    it(`fits client generators: it ${rule}`, () => {
      expect(faultsOf(document)).to.deep.equal([]);
    });

  it('is refused by each of these rules with one fault of its kind', () => {
    const operation = (more: object): object => ({ operationId: 'one', responses: {}, ...more });
    const body = (schema: object): object =>
      operation({ requestBody: { content: { 'application/json': { schema } } } });
    const answer = (more: object): object => operation({ responses: { 200: more } });
    const faulty: readonly object[] = [
      body({ type: ['object', 'boolean'] }),
      body({ anyOf: [{ type: 'string' }, { type: 'null' }] }),
      body({ type: 'object', default: {} }),
      operation({ parameters: [{ name: 'a', in: 'path' }] }),
      operation({}),
      answer({ headers: { Age: {} }, content: { 'text/event-stream': { schema: {} } } }),
      body({ type: 'object', properties: { mode: { const: 'async' } } }),
      body({ type: 'boolean', enum: [false] }),
      body({ type: 'array', uniqueItems: true, items: { type: 'string', enum: ['one'] } }),
      operation({}),
      body({ type: 'object', properties: { after: { type: 'null' } } }),
      operation({}),
    ];
    const broken = faulty.map((post, at) => {
      const paths = { '/one': { post }, ...(at === 4 ? { '/other': { post } } : {}) };
      const webhooks = at === 9 ? { ended: { post } } : {};
      const components = at === 11 ? { schemas: { Configuration: {} } } : {};
      const one = { ...document, components, paths, webhooks };
      return Object.values(generatorRules).map((rule) => rule(one as never).length);
    });
    expect(broken).to.deep.equal(faulty.map((_, at) => faulty.map((__, rule) => (rule === at ? 1 : 0))));
  });

  it('passes a linter that is not ours', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'orb-openapi-'));
    try {
      await writeFile(join(folder, 'openapi.json'), JSON.stringify(document));
      await writeFile(join(folder, 'redocly.yaml'), 'extends: [spec]\n');
      const cli = new URL('../node_modules/@redocly/cli/bin/cli.js', import.meta.url).pathname;
      const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true' };
      const args = [cli, 'lint', 'openapi.json', '--config', 'redocly.yaml', '--format', 'json'];
      const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env }).catch(
        (failure: { stdout: string }) => failure,
      );
      const { totals, problems: found } = JSON.parse(stdout) as { totals: object; problems: object };
      expect(totals, JSON.stringify(found, null, 2)).to.include({ errors: 0, warnings: 0 });
    } finally {
      await rm(folder, { recursive: true });
    }
  }).timeout(60_000);
});
