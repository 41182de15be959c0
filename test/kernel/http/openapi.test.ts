import { execFile } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { openapi } from '../../../kernel/http/openapi.ts';
import { defineRoute, type Route } from '../../../kernel/http/route.ts';
import { httpRoutes } from '../../../kernel/http/routes.ts';
import { send } from '../../helpers/http.ts';
import { sampleRoutes, startHttp } from './fixture.ts';

const options = { version: '1.2.3', publicUrl: 'http://orb.test' };

function allRoutes(): readonly Route[] {
  const own = httpRoutes({ ...options, routes: () => own });
  return [...sampleRoutes(new EventEmitter()), ...own];
}

interface Operation {
  readonly operationId: string;
  readonly security: readonly unknown[];
  readonly parameters?: readonly object[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, { readonly content?: object }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

// Through JSON, as callers see it.
function document(routes: readonly Route[] = allRoutes()): Document {
  return JSON.parse(JSON.stringify(openapi(routes, options))) as Document;
}

function operation(path: string, method: string): Operation {
  const found = document().paths[path]?.[method];
  if (found === undefined) throw new Error(`${method} ${path} is not in the document`);
  return found;
}

describe('the OpenAPI document', () => {
  it('passes a linter that is not ours', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'orb-openapi-'));
    try {
      await writeFile(join(folder, 'openapi.json'), JSON.stringify(document()));
      await writeFile(join(folder, 'redocly.yaml'), 'extends: [spec]\n');
      const cli = new URL('../../../node_modules/@redocly/cli/bin/cli.js', import.meta.url).pathname;
      const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true' };
      const args = [cli, 'lint', 'openapi.json', '--config', 'redocly.yaml', '--format', 'json'];
      const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env }).catch(
        (failure: { stdout: string }) => failure,
      );
      const { totals, problems } = JSON.parse(stdout) as { totals: object; problems: object };
      expect(totals, JSON.stringify(problems, null, 2)).to.include({ errors: 0, warnings: 0 });
    } finally {
      await rm(folder, { recursive: true });
    }
  }).timeout(60_000);

  it('names each operation by its method and path', () => {
    expect(operation('/things/{id}/parts', 'get').operationId).to.equal('getThingsByIdParts');
    expect(operation('/openapi.json', 'get').operationId).to.equal('getOpenapiJson');
  });

  it('says which scope a route needs, and that a public one needs no key', () => {
    expect(operation('/things/{id}', 'get')).to.deep.include({ 'x-scope': 'things:read', security: [{ api_key: [] }] });
    expect(operation('/health', 'get').security).to.deep.equal([]);
  });

  it('lists parameters with their schemas', () => {
    expect(operation('/things/{id}', 'get').parameters).to.deep.equal([
      { name: 'id', in: 'path', required: true, schema: { type: 'string', maxLength: 100 } },
    ]);
    expect(operation('/list', 'get').parameters?.[0]).to.deep.include({ name: 'limit', in: 'query', required: false });
  });

  it('lists the headers a route reads', () => {
    const route = defineRoute({
      method: 'POST',
      path: '/once',
      service: 'runtime',
      public: true,
      summary: 'Do it once',
      reads: ['Idempotency-Key', 'If-Match'],
      problems: [],
      handle: () => undefined,
    });
    const parameters = document([route]).paths['/once']?.['post']?.parameters;
    expect(parameters).to.have.length(2);
    expect(parameters?.[0]).to.deep.include({ name: 'Idempotency-Key', in: 'header', required: false });
    expect(parameters?.[1]).to.deep.include({ name: 'If-Match', in: 'header', required: false });
  });

  it('lists every status of which the answer has the form of a success', () => {
    const route = defineRoute({
      method: 'POST',
      path: '/made',
      service: 'runtime',
      public: true,
      summary: 'Make it, or find it made',
      response: { $id: 'Made', type: 'object', properties: { id: { type: 'string' } } },
      also: [201],
      problems: [],
      handle: () => ({ id: '1' }),
    });
    const responses = document([route]).paths['/made']?.['post']?.responses ?? {};
    expect(responses['201']).to.deep.equal(responses['200']);
    expect(responses['200']?.content).to.have.property('application/json');
  });

  it('makes a component of each schema with an $id', () => {
    expect(operation('/echo/{id}', 'post').requestBody).to.deep.equal({
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/EchoRequest' } } },
    });
    const { schemas } = document().components;
    expect(schemas).to.have.all.keys('EchoRequest', 'Echoed', 'Page', 'Problem', 'ProblemPage');
    expect(schemas['EchoRequest']).to.not.have.property('$id');
  });

  it('lists problems by status with their codes', () => {
    const { responses } = operation('/echo/{id}', 'post');
    expect(Object.keys(responses)).to.deep.equal([
      '200',
      '400',
      '401',
      '403',
      '404',
      '413',
      '415',
      '422',
      '429',
      '500',
      '503',
    ]);
    expect(responses['400']).to.deep.include({
      description:
        '`invalid_parameter`: A path or query parameter is invalid; `malformed_json`: The body is not acceptable JSON',
    });
    expect(responses['404']?.content).to.have.property('application/problem+json');
    expect(Object.keys(operation('/health', 'get').responses)).to.deep.equal(['200', '400', '500']);
  });

  it('knows answers that are no JSON, and those without a body', () => {
    expect(operation('/badge', 'get').responses['200']?.content).to.deep.equal({ 'image/svg+xml': {} });
    expect(operation('/things/{id}', 'delete').responses['204']).to.deep.equal({ description: 'Done' });
  });

  it('refuses two different schemas of one $id', () => {
    const route = (path: string, type: string) =>
      defineRoute({
        method: 'GET',
        path,
        service: 'shared',
        public: true,
        summary: 's',
        response: { $id: 'Same', type },
        problems: [],
        handle: () => '',
      });
    expect(() => document([route('/a', 'string'), route('/b', 'string')])).to.not.throw();
    expect(() => document([route('/a', 'string'), route('/b', 'integer')])).to.throw('two schemas have the $id Same');
  });

  it('is served, and lists the routes that serve it', async () => {
    const { http, base } = await startHttp();
    const { json, headers } = await send(base, '/openapi.json');
    await http.drain(0);
    expect(headers.get('content-type')).to.equal('application/json');
    expect(json).to.deep.equal(document());
  });
});
