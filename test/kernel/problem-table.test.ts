import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { shippedProgram } from '../helpers/program.ts';
import { packageDir } from '../helpers/folder.ts';
import { ConfigError, defineProblems, problems } from '../../kernel/error.ts';
import { problemFaults, problemTable } from '../../kernel/problem-table.ts';
import { startPlatform, type TestPlatform } from '../helpers/platform.ts';

const kernel = pathToFileURL(join(packageDir, 'kernel/index.ts')).href;

const problemsFile = `
import { defineProblems } from '${kernel}';
export const problems = defineProblems({
  book_not_found: { status: 404, title: 'The library has no such book', retryable: false },
  book_lent: { status: 409, title: 'Somebody reads the book', retryable: true },
});
export const { book_burnt } = defineProblems({ book_burnt: { status: 410, title: 'The book is gone', retryable: false } });
`;

const workerFile = `
import { PlatformError, serveThread } from '${kernel}';
import { problems } from './problems.ts';
serveThread((id) => {
  throw new PlatformError(problems.book_lent, id + ' is lent', { retry_after: 60 });
});
`;

const libraryFile = `
import { Worker } from 'node:worker_threads';
import { createThread, defineCommand, definePlugin, defineRoute, PlatformError } from 'agent-orb-kit';
import { book_burnt, problems } from './problems.ts';
const params = { type: 'object', required: ['id'], properties: { id: { type: 'string', description: 'A book' } } };
export default definePlugin({
  name: 'library',
  problems,
  scopes: { 'books:read': { title: 'Read books' } },
  commands: [
    defineCommand({
      path: 'library show',
      summary: 'show a book',
      args: [{ name: 'id', description: 'a book' }],
      run: ({ client, args: [id] }) => client().request('GET', '/books/' + id),
    }),
  ],
  start() {
    const thread = createThread({
      start: () => new Worker(new URL('./worker.ts', import.meta.url)),
      waiting: 1,
      limitMs: 60_000,
    });
    const route = defineRoute({
      method: 'GET', path: '/books/{id}', service: 'runtime', scope: 'books:read', summary: 'Read a book', params,
      operationId: 'readBook', problems: Object.values(problems),
      handle({ params: { id } }) {
        if (id === 'lent') return thread.run(id);
        if (id === 'burnt') throw new PlatformError(book_burnt, 'by dragon-7', { run_id: 'run_1' });
        if (id === 'misspelt') throw new PlatformError('book_not_fuond');
        throw new PlatformError(problems.book_not_found, 'there is no book ' + id);
      },
    });
    return { routes: [route], stop: () => thread.stop() };
  },
});
`;

const plain = (name: string, start: string, declared = '{}'): string => `
export default (api) => api.definePlugin({ name: '${name}', problems: ${declared}, start: () => (${start}) });
`;

describe('problems of plugins', function () {
  this.timeout(120_000);
  let home: string;
  let platform: TestPlatform | undefined;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'orb-problems-'));
    mkdirSync(join(home, 'ext'));
    write({ 'library.ts': libraryFile, 'problems.ts': problemsFile, 'worker.ts': workerFile });
  });
  afterEach(async () => {
    await platform?.stop();
    platform = undefined;
    rmSync(home, { recursive: true, force: true });
  });

  const write = (files: Readonly<Record<string, string>>): void => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(home, 'ext', name), text);
  };
  const start = async (plugins: object, onLog: (line: string) => void = () => undefined) => {
    const policy = { config: { build_compiler: false } };
    platform = await startPlatform({ home, onLog, platform: { plugins: { policy, ...plugins } } });
    return platform;
  };
  const orb = (...words: readonly string[]): Promise<readonly [code: unknown, stderr: string]> =>
    new Promise((resolve) => {
      const env = { ...process.env, ORB_URL: platform?.url ?? '' };
      execFile(
        process.execPath,
        [shippedProgram, ...words],
        { cwd: home, env, timeout: 40_000 },
        (error, _, stderr) => {
          resolve([error?.code ?? 0, stderr]);
        },
      );
    });
  const library = { from: 'ext/library.ts' };

  it('are answered by routes and threads, and stand in the documents and on the command line', async () => {
    const { call } = await start({ library });
    const { body } = await call('GET', '/books/emma');
    const row = { code: 'book_not_found', status: 404, title: 'The library has no such book', retryable: false };
    const { type, request_id } = body;
    expect(body).to.deep.equal({ ...row, type, request_id, detail: 'there is no book emma' });
    expect(type).to.match(/\/problems\/book_not_found$/);
    expect((await call('GET', '/problems/book_not_found')).body).to.deep.equal(row);
    const lent = await call('GET', '/books/lent');
    expect([lent.status, lent.body.code, lent.body.detail]).to.deep.equal([409, 'book_lent', 'lent is lent']);
    expect([lent.body.retryable, lent.headers.get('retry-after')]).to.deep.equal([true, '60']);
    const document = (await call('GET', '/openapi.json')).body;
    const answers = document.paths['/books/{id}'].get.responses;
    const told = (status: number): string =>
      document.components.responses[String(answers[status].$ref).split('/').at(-1) ?? ''].description;
    expect([told(404), told(409)]).to.deep.equal(['`book_not_found`', '`book_lent`']);
    expect((await call('GET', '/docs/reference/problems')).body).to.contain('The library has no such book');
    const [code, stderr] = await orb('library', 'show', 'emma');
    expect(code, stderr).to.equal(1);
    expect(stderr).to.match(/^orb: there is no book emma \(book_not_found, request req_\w+\)$/m);
  });

  it('that no plugin declares are 500 internal with nothing of them, and the log names their code', async () => {
    const lines: string[] = [];
    const { call } = await start({ library }, (line) => void lines.push(line));
    for (const [id, code] of [
      ['burnt', 'book_burnt'],
      ['misspelt', 'book_not_fuond'],
    ] as const) {
      const { status, body } = await call('GET', `/books/${id}`);
      expect([status, body.code, body.title]).to.deep.equal([500, 'internal', problems.internal.title]);
      expect(body).to.not.have.any.keys('detail', 'run_id');
      const line = lines.find((one) => one.includes(`"code":"${code}"`));
      expect(line).to.contain('a request failed with a problem that no plugin declares').and.contain(body.request_id);
    }
  });

  it('are gone with a plugin that is left out', async () => {
    const page = '/problems/listing_not_found';
    expect((await (await start({})).call('GET', page)).status).to.equal(200);
    await platform?.stop({ keep: true });
    const { call } = await start({ marketplace: false });
    expect((await call('GET', page)).body.code).to.equal('route_not_found');
    expect((await call('GET', '/docs/reference/problems')).body).to.not.contain('listing_not_found');
  });

  const second = "api.defineProblems({ book_lent: { status: 409, title: 'Lent', retryable: false } })";
  const ofKernel = "api.defineProblems({ route_not_found: { status: 404, title: 'No Orb', retryable: false } })";
  const clashes: readonly (readonly [title: string, declared: string, fault: string])[] = [
    ['two plugins declare', second, 'plugins.second: the problem book_lent belongs to plugins.library'],
    ['the kernel has', ofKernel, 'plugins.second: the problem route_not_found belongs to the kernel'],
  ];
  for (const [title, declared, fault] of clashes)
    it(`that ${title} too stop the start with 78, naming both`, async () => {
      write({ 'second.mjs': plain('second', '{}', declared) });
      mkdirSync(join(home, 'data'));
      const plugins = { library, second: { from: 'ext/second.mjs' } };
      writeFileSync(join(home, 'data/platform.json'), JSON.stringify({ plugins }));
      for (const words of [['serve'], ['config', 'check']]) {
        const [code, stderr] = await orb(...words);
        expect([code, stderr.includes(fault)], stderr).to.deep.equal([78, true]);
      }
    });

  it('that a route names without a declaration stop the start', async () => {
    const route = `{ method: 'GET', path: '/second', service: 'runtime', public: true, summary: 'Two',
      problems: ['second_missing'], handle: () => ({}) }`;
    write({ 'second.mjs': plain('second', `{ routes: [api.defineRoute(${route})] }`) });
    const error: unknown = await start({ second: { from: 'ext/second.mjs' } }).catch((failed: unknown) => failed);
    expect(error).to.be.instanceOf(ConfigError);
    expect(String(error)).to.contain('GET /second: names the problem second_missing, which no plugin declares');
  });
});

describe('the table of problems', () => {
  const row = { status: 404, title: 'Not here', retryable: false };
  const wrong: readonly (readonly [title: string, row: object, fault: RegExp])[] = [
    [
      'of another code',
      { ...row, code: 'other' },
      /^plugins\.odd: the problem gone was not created with defineProblems$/,
    ],
    ['without a status', { ...row, code: 'gone', status: undefined }, /needs a status from 400 to 599$/],
    ['of a status of success', { ...row, code: 'gone', status: 200 }, /needs a status from 400 to 599$/],
    ['of a status beyond', { ...row, code: 'gone', status: 600 }, /needs a status from 400 to 599$/],
    ['of half a status', { ...row, code: 'gone', status: 404.5 }, /needs a status from 400 to 599$/],
    ['without a title', { ...row, code: 'gone', title: '' }, /needs a title$/],
    ['that may be retryable', { ...row, code: 'gone', retryable: 'yes' }, /needs `retryable`: true or false$/],
  ];
  for (const [title, type, fault] of wrong)
    it(`refuses a problem ${title}`, () => {
      // What plain JavaScript may hand over.
      const declared = { gone: type } as unknown as ReturnType<typeof defineProblems>;
      const faults = problemFaults([{ name: 'odd', problems: declared }]);
      expect(faults).to.have.length(1);
      expect(faults[0]).to.match(fault);
    });

  for (const code of ['Gone', '1st', 'not-here', 'a'.repeat(65), ''])
    it(`refuses the code ${JSON.stringify(code)}`, () => {
      const [fault] = problemFaults([{ name: 'odd', problems: defineProblems({ [code]: row }) }]);
      expect(fault).to.contain('needs a code of at most 64 lower-case letters, digits and underscores');
    });

  it('is in the order of statuses, then of codes, whoever declares them', () => {
    const one = { name: 'one', problems: defineProblems({ zebra_missing: row, ant_missing: row }) };
    const two = { name: 'two', problems: defineProblems({ moth_missing: { ...row, status: 599 } }) };
    const codes = [...problemTable([two, one]).keys()];
    expect([problemFaults([one, two]), codes]).to.deep.equal([[], [...problemTable([one, two]).keys()]]);
    const missing = codes.filter((each) => each.endsWith('_missing'));
    expect(missing).to.deep.equal(['ant_missing', 'zebra_missing', 'moth_missing']);
    expect(codes.indexOf('ant_missing')).to.be.lessThan(codes.indexOf('key_not_found'));
  });
});
