import { execFile } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { documentOf } from '../../../plugins/openapi/document.ts';
import { defineRoute, type Route } from '../../../kernel/index.ts';
import { problemsOf } from '../../../kernel/http/route/route-problem.ts';
import { problemRoute } from '../../../kernel/http/server/server.ts';
import { problemTable } from '../../../kernel/problem-table.ts';
import { sampleRoutes } from '../../kernel/http/fixture.ts';

const table = problemTable([]);
const options = { version: '1.2.3', publicUrl: 'http://orb.test', problems: [...table.values()], problemsOf };

function allRoutes(): readonly Route[] {
  return [...sampleRoutes(new EventEmitter()), problemRoute(table)];
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
  readonly components: Readonly<
    Record<'schemas' | 'responses' | 'parameters' | 'headers', Readonly<Record<string, object>>>
  >;
}

// Through JSON, as callers see it.
function document(routes: readonly Route[] = allRoutes()): Document {
  return JSON.parse(JSON.stringify(documentOf({ ...options, routes }))) as Document;
}

const problemNamed = (name: string): object | undefined => document().components.responses[name];

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
    expect(operation('/problems/{code}', 'get').operationId).to.equal('getProblem');
    expect(operation('/echo/{id}', 'post').operationId).to.equal('postEchoById');
  });

  it('says which scope a route needs, and that a public one needs no key', () => {
    expect(operation('/things/{id}', 'get').security).to.deep.equal([{ api_key: ['things:read'] }]);
    expect(operation('/health', 'get').security).to.deep.equal([]);
  });

  it('lists parameters with their schemas', () => {
    expect(document().components.parameters['path.id']).to.deep.equal({
      ...{ name: 'id', in: 'path', required: true, schema: { type: 'string', maxLength: 100 } },
    });
    expect(operation('/things/{id}', 'get').parameters).to.deep.equal([{ $ref: '#/components/parameters/path.id' }]);
    expect(operation('/list', 'get').parameters?.[0]).to.deep.include({ name: 'limit', in: 'query' });
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
    expect(parameters?.[0]).to.deep.include({ name: 'Idempotency-Key', in: 'header' });
    expect(parameters?.[1]).to.deep.include({ name: 'If-Match', in: 'header' });
  });

  it('lists every status whose answer has the form of a success', () => {
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
    expect(schemas).to.include.all.keys('EchoRequest', 'Echoed', 'Page', 'Problem', 'ProblemPage');
    expect(schemas['EchoRequest']).to.not.have.property('$id');
  });

  it('refers to each set of problems of one status by its codes, to the usual one by the status', () => {
    const { responses } = operation('/echo/{id}', 'post');
    expect(Object.keys(responses).join(' ')).to.equal('200 400 401 403 404 408 413 415 422 429 431 500 501 503');
    expect(responses['408']).to.deep.equal({ $ref: '#/components/responses/408' });
    expect(responses['403']).to.deep.equal({ $ref: '#/components/responses/403' });
    expect(problemNamed('408')).to.deep.equal({
      description: '`request_timeout`',
      headers: { 'X-Should-Retry': { $ref: '#/components/headers/X-Should-Retry' } },
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
    });
    expect(problemNamed('429')).to.have.property('headers').that.includes.keys('Retry-After', 'RateLimit');
    expect(Object.keys(operation('/health', 'get').responses).join(' ')).to.equal('200 400 408 431 500');
  });

  it('knows answers that are no JSON, and those without a body', () => {
    expect(operation('/badge', 'get').responses['200']?.content).to.deep.equal({
      'image/svg+xml': { schema: { type: 'string' } },
    });
    expect(operation('/things/{id}', 'delete').responses['204']).to.deep.equal({ description: 'Done' });
  });

  const showing = (path: string, response: object, more: Partial<Route> = {}): Route => ({
    ...{ method: 'GET', path, service: 'shared', public: true, summary: 's', problems: [], ...more },
    response: { ...response },
    handle: () => '',
  });

  it('makes a component of what has a name as its title, described as most uses describe it', () => {
    const time = { title: 'Time', type: 'string', format: 'date-time', description: 'A time' };
    const properties = { from: time, to: time, since: { ...time, description: 'When it began' } };
    const { paths, components } = document([showing('/a', { type: 'object', properties })]);
    const reference = { $ref: '#/components/schemas/Time' };
    expect(paths['/a']?.['get']?.responses['200']?.content).to.deep.equal({
      'application/json': {
        schema: {
          type: 'object',
          properties: { from: reference, to: reference, since: { ...reference, description: 'When it began' } },
        },
      },
    });
    expect(components.schemas['Time']).to.deep.equal({ type: 'string', format: 'date-time', description: 'A time' });
  });

  it('leaves a schema where it stands when another has its title', () => {
    const other = { title: 'Time', type: 'integer' };
    const { paths } = document([showing('/a', { title: 'Time', type: 'string' }), showing('/b', other)]);
    expect(paths['/b']?.['get']?.responses['200']?.content).to.deep.equal({ 'application/json': { schema: other } });
  });

  it('says of an object without further word that it has members, as generators of clients need it', () => {
    const { paths } = document([showing('/a', { type: 'object', properties: { inputs: { type: 'object' } } })]);
    expect(paths['/a']?.['get']?.responses['200']?.content).to.deep.nested.include({
      'application/json.schema.properties.inputs': { type: 'object', additionalProperties: true },
    });
  });

  it('closes requests, and leaves answers open to members of later versions', () => {
    const closed = (name: string) => ({
      ...{ title: name, type: 'object', additionalProperties: false, properties: { a: { type: 'integer' } } },
    });
    const { components } = document([{ ...showing('/a', closed('Given'), { method: 'POST' }), body: closed('Taken') }]);
    expect(components.schemas['Taken']).to.have.property('additionalProperties', false);
    expect(components.schemas['Given']).to.not.have.property('additionalProperties');
    const both = document([{ ...showing('/a', closed('Both'), { method: 'POST' }), body: closed('Both') }]);
    expect(both.components.schemas['Both']).to.have.property('additionalProperties', false);
  });

  it('states a parameter once that several routes have word for word', () => {
    const params = (description: string) => ({
      params: { type: 'object', properties: { id: { type: 'string', description } } },
    });
    const routes = ['/a/{id}', '/b/{id}', '/c/{id}'].map((path) =>
      showing(path, { type: 'string' }, params(path === '/c/{id}' ? 'Another' : 'The id')),
    );
    const { paths, components } = document(routes);
    const parameter = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
    expect(paths['/a/{id}']?.['get']?.parameters).to.deep.equal([{ $ref: '#/components/parameters/path.id' }]);
    expect(paths['/b/{id}']?.['get']?.parameters).to.deep.equal([{ $ref: '#/components/parameters/path.id' }]);
    expect(paths['/c/{id}']?.['get']?.parameters).to.deep.equal([{ ...parameter, description: 'Another' }]);
    expect(components.parameters['path.id']).to.deep.equal({ ...parameter, description: 'The id' });
  });

  it('lists the headers, the forms and the other answers that a route declares', () => {
    const more: Partial<Route> = {
      conditional: true,
      forms: { 'text/plain': { type: 'string' } },
      answers: { 404: { description: 'A picture of nothing', type: 'image/svg+xml' } },
      sends: { Link: true, 'X-Own': { description: 'Its own' } },
    };
    const found = document([showing('/a', { type: 'integer' }, more)]);
    const { responses, parameters } = found.paths['/a']?.['get'] ?? operation('/echo/{id}', 'post');
    expect(responses['200']).to.deep.equal({
      description: 'OK',
      headers: {
        Link: { $ref: '#/components/headers/Link' },
        'X-Own': { description: 'Its own', schema: { type: 'string' } },
        ETag: { $ref: '#/components/headers/ETag' },
      },
      content: { 'application/json': { schema: { type: 'integer' } }, 'text/plain': { schema: { type: 'string' } } },
    });
    expect(responses['304']).to.deep.equal({ $ref: '#/components/responses/not_modified' });
    expect(found.components.responses['not_modified']).to.not.have.property('content');
    expect(responses['404']).to.deep.equal({
      description: 'A picture of nothing',
      content: { 'image/svg+xml': { schema: { type: 'string' } } },
    });
    expect(parameters?.[0]).to.deep.include({ name: 'If-None-Match', in: 'header' });
    expect(() => document([showing('/b', {}, { sends: { 'X-Other': true } })])).to.throw(
      'X-Other is described nowhere',
    );
  });

  it('names an operation as its route says, else by its method and path', () => {
    const { paths } = document([showing('/a', { type: 'string' }, { operationId: 'showA' })]);
    expect(paths['/a']?.['get']?.operationId).to.equal('showA');
    const twice = ['/a', '/b'].map((path) => showing(path, { type: 'string' }, { operationId: 'show' }));
    expect(() => document(twice)).to.throw('GET /a and GET /b have the same operationId show');
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
});
