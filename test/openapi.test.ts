import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { problems } from '../kernel/error.ts';
import { httpRoutes } from '../kernel/http/routes.ts';
import { startPlatform, type TestPlatform } from './helpers/platform.ts';
import { updating } from './helpers/readme.ts';

const golden = new URL('golden/openapi.json', import.meta.url);

interface Operation {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

interface Document {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

// Answers that tell a state, or show a page, with a status of failure.
const noProblem: ReadonlySet<string> = new Set(['GET /health/ready 503', 'GET /marketplace/{orb_id} 404']);

describe('the OpenAPI document of the platform', () => {
  let platform: TestPlatform;
  let document: Document;
  before(async () => {
    platform = await startPlatform({ env: { ORB_PUBLIC_URL: 'https://orb.example' } });
    document = (await platform.call('GET', '/openapi.json', undefined, null)).body as Document;
  });
  after(() => platform.stop());

  const operations = (): [string, Operation][] =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, Operation] => [
        `${method.toUpperCase()} ${path}`,
        operation,
      ]),
    );

  it('changes only together with the golden file (UPDATE_GOLDEN=1 writes it anew)', async () => {
    // The version moves with every release; what it describes is compared.
    const stable = { ...document, info: { ...document.info, version: '0.0.0' } };
    if (updating) await writeFile(golden, `${JSON.stringify(stable, null, 2)}\n`);
    expect(stable).to.deep.equal(JSON.parse(await readFile(golden, 'utf8')));
  });

  it('bears the version of the program', async () => {
    const { body } = await platform.call('GET', '/health', undefined, null);
    expect(document.info.version).to.equal(body.version);
  });

  it('names every route, and no other', () => {
    const own = httpRoutes({ version: '', publicUrl: '', routes: () => [] });
    const routes = [...platform.kernel.routes, ...own].map(({ method, path }) => `${method} ${path}`);
    expect(operations().map(([title]) => title)).to.have.members(routes);
  });

  it('asks for a key exactly where the route is not public', () => {
    const open = operations().flatMap(([title, { security }]) =>
      security.length === 0 || security.some((one: object) => Object.keys(one).length === 0) ? [title] : [],
    );
    const own = httpRoutes({ version: '', publicUrl: '', routes: () => [] });
    const routes = [...platform.kernel.routes, ...own].filter((route) => route.public === true);
    expect(open).to.have.members(routes.map(({ method, path }) => `${method} ${path}`));
  });

  it('tells for each operation how it succeeds and that it may fail as problem+json', () => {
    const statuses = new Set(Object.values(problems).map(({ status }) => String(status)));
    for (const [title, { responses }] of operations()) {
      expect(
        Object.keys(responses).some((status) => status.startsWith('2')),
        title,
      ).to.equal(true);
      for (const [status, { content = {} }] of Object.entries(responses)) {
        if (status.startsWith('2') || noProblem.has(`${title} ${status}`)) continue;
        expect(statuses, title).to.include(status);
        expect(Object.keys(content), `${title} ${status}`).to.deep.equal(['application/problem+json']);
      }
    }
  });

  it('names the headers that callers may send', () => {
    const reading = (name: string): readonly string[] =>
      operations().flatMap(([title, { parameters = [] }]) =>
        parameters.some((parameter) => parameter.in === 'header' && parameter.name === name) ? [title] : [],
      );
    expect(reading('Idempotency-Key')).to.have.members([
      'POST /orbisets/{id}/execute',
      'POST /providers/{orb_id}/swap',
      'POST /marketplace/orbs/publish',
    ]);
    expect(reading('If-Match')).to.include.members([
      'POST /providers/{orb_id}/swap',
      'POST /providers/{orb_id}/rollback',
      'PUT /policies/{id}',
    ]);
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
