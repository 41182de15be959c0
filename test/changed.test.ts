import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { packageDir } from './helpers/folder.ts';
import { reachedBy } from './runner/imports.ts';

const calls = (name: string, from: string): string =>
  `import { ${name} } from '${from}';\nit('calls ${name}', () => void ${name}(2));\n`;

/** A small program with its tests, by path. */
const files: Readonly<Record<string, string>> = {
  '.gitignore': 'node_modules\ndist\n',
  'package.json': '{ "type": "module" }\n',
  'kernel/sums.ts': `const factors = [2, 3];
export function twice(of: number): number {
  return of * (factors[0] ?? 0);
}
export function thrice(of: number): number {
  return of * (factors[1] ?? 0);
}
`,
  'kernel/start.ts': 'export function start(at: number): number {\n  return at + 1;\n}\n',
  'plugins/console/app/parts/words.ts': "export const word = 'run';\n",
  'plugins/console/app/screens/runs.ts':
    "import { word } from '../parts/words.ts';\nexport const title = `All ${word}s`;\n",
  'data/colors.json': '["red"]\n',
  'test/helpers/platform.ts': 'export const platform = (at: number): number => at;\n',
  'test/runner/start-up.ts': calls('start', '../../kernel/start.ts'),
  'test/kernel/sums.test.ts': calls('twice', '../../kernel/sums.ts'),
  'test/far/thrice.test.ts': calls('thrice', '../../kernel/sums.ts'),
  'test/far/twice.test.ts': calls('twice', '../../kernel/sums.ts'),
  'test/far/colors.test.ts': "it('reads data/colors.json', () => undefined);\n",
  'test/plugins/console/screens/runs.full.test.ts': "it('is drawn', () => undefined);\n",
  'test/promise.test.ts': calls('start', '../kernel/start.ts'),
  'test/platform.test.ts': calls('platform', './helpers/platform.ts'),
};

interface Row {
  readonly file: string;
  readonly edit: readonly [string, string];
  readonly picks: readonly string[];
  /** Without a recording, where that differs. */
  readonly unrecorded?: readonly string[];
}

const promises = ['test/platform.test.ts', 'test/promise.test.ts'];
const users = ['test/far/thrice.test.ts', 'test/far/twice.test.ts', 'test/kernel/sums.test.ts'];

const rows: Readonly<Record<string, Row>> = {
  'those that enter a changed function, and the mirrored ones': {
    file: 'kernel/sums.ts',
    edit: ['of * (factors[1] ?? 0)', 'of * (factors[1] ?? 1)'],
    picks: ['test/far/thrice.test.ts', 'test/kernel/sums.test.ts'],
    unrecorded: [...users, ...promises],
  },
  'all that use a file whose table changed': {
    file: 'kernel/sums.ts',
    edit: ['[2, 3]', '[2, 4]'],
    picks: users,
    unrecorded: [...users, ...promises],
  },
  'one for each promise where each start enters what changed': {
    file: 'kernel/start.ts',
    edit: ['at + 1', 'at + 2'],
    picks: promises,
  },
  'the mirrored ones of a screen, and promises that start nothing': {
    file: 'plugins/console/app/screens/runs.ts',
    edit: ['All', 'Some'],
    picks: ['test/plugins/console/screens/runs.full.test.ts', 'test/promise.test.ts'],
    unrecorded: ['test/plugins/console/screens/runs.full.test.ts', ...promises],
  },
  'the screens that use a part of theirs': {
    file: 'plugins/console/app/parts/words.ts',
    edit: ['run', 'job'],
    picks: ['test/plugins/console/screens/runs.full.test.ts', 'test/promise.test.ts'],
    unrecorded: ['test/plugins/console/screens/runs.full.test.ts', ...promises],
  },
  'those that name a file of data': {
    file: 'data/colors.json',
    edit: ['red', 'blue'],
    picks: ['test/far/colors.test.ts'],
  },
  'those that import a helper': {
    file: 'test/helpers/platform.ts',
    edit: ['=> at', '=> -at'],
    picks: ['test/platform.test.ts'],
  },
  'a changed test': {
    file: 'test/far/twice.test.ts',
    edit: ['2', '4'],
    picks: ['test/far/twice.test.ts'],
  },
};

describe('npm test -- --changed', function () {
  this.timeout(120_000);
  let root: string;
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  // No settings of the user: they could sign commits.
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', NODE_V8_COVERAGE: '' };
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@example.org', ...args], {
      cwd: root,
      env,
    }).toString();
  const run = (code: string): string =>
    execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: root, env }).toString();
  const picked = (): readonly string[] => {
    const found = run(
      "import { concernedBy } from './test/runner/changed.ts'; console.log(JSON.stringify(concernedBy('HEAD')));",
    );
    return (JSON.parse(found) as readonly { readonly file: string }[]).map(({ file }) => file).sort();
  };

  before(() => {
    root = mkdtempSync(join(tmpdir(), 'orb-changed-'));
    for (const entry of ['changed', 'recording'])
      for (const file of reachedBy(`test/runner/${entry}.ts`)) cpSync(join(packageDir, file), join(root, file));
    for (const [path, text] of Object.entries(files)) write(path, text);
    symlinkSync(join(packageDir, 'node_modules'), join(root, 'node_modules'));
    git('init', '--quiet');
    git('add', '.');
    git('commit', '--quiet', '--message', 'first');
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  const picksFor = (of: (row: Row) => readonly string[]): void => {
    for (const [name, row] of Object.entries(rows))
      it(`picks ${name}`, () => {
        const text = readFileSync(join(root, row.file), 'utf8');
        write(row.file, text.replace(...row.edit));
        expect(picked()).to.deep.equal([...of(row)].sort());
        write(row.file, text);
      });
  };

  describe('without a recording', () => picksFor(({ picks, unrecorded = picks }) => unrecorded));

  describe('with a recording', () => {
    before(() => {
      mkdirSync(join(root, 'dist/test-report'), { recursive: true });
      // As when a file was edited and the edit taken back: git must not take that for a change.
      utimesSync(join(root, 'kernel/sums.ts'), 0, 0);
      run(`import { record } from './test/runner/recording.ts'; import { testFiles } from './test/runner/files.ts';
        await record(testFiles(), 4, process.env);`);
    });

    picksFor(({ picks }) => picks);

    it('picks nothing where nothing changed', () => expect(picked()).to.deep.equal([]));
  });
});
