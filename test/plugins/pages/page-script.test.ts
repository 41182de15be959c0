import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import * as pageScript from '../../../plugins/pages/page-script.ts';

const { bundledScript, dividedScript } = pageScript;

describe('the script of a page', () => {
  // In an executable other functions take their place (plugins/kit/binary/sources.ts): another export would be missing there.
  it('is made by two functions, and their module has no other', () => {
    expect(Object.keys(pageScript)).to.have.members(['bundledScript', 'dividedScript']);
  });

  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orb-bundle-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Bundles `main.ts` of these files, runs it, and returns what it left in `seen`. */
  const run = async (files: Readonly<Record<string, string>>): Promise<unknown> => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const context = createContext({ seen: [], surrounding: 'surrounding' });
    runInContext(await bundledScript(pathToFileURL(join(folder, 'main.ts')))(), context);
    return runInContext('JSON.stringify(seen)', context) as unknown;
  };

  const rows: readonly (readonly [name: string, seen: string, files: Readonly<Record<string, string>>])[] = [
    [
      'a module with all that it imports, each once',
      '["word","main"]',
      {
        'main.ts': `import { note } from './note.ts';\nimport { word } from './word.ts';\nif (word) note('main');\n`,
        'word.ts': `import { note } from './note.ts';\nexport const word: string = 'word';\nnote(word);\n`,
        'note.ts': `export function note(text: string): void {\n  seen.push(text);\n}\n`,
      },
    ],
    [
      'modules that give the same name to their own',
      '["one","two","main"]',
      {
        'main.ts': `import { one } from './one.ts';\nimport { two as own } from './two.ts';\nconst word = 'main';\nseen.push(one, own, word);\n`,
        'one.ts': `const word = 'one';\nexport const one = word;\n`,
        'two.ts': `const word = 'two';\nexport { word as two };\n`,
      },
    ],
    [
      'defaults, exports of others and all exports of a module',
      '["a","b","c","a"]',
      {
        'main.ts': `import a from './a.ts';\nimport { b, d as again } from './b.ts';\nimport * as c from './c.ts';\nseen.push(a(), b(), c.c, again());\n`,
        'a.ts': `export default function (): string {\n  return 'a';\n}\n`,
        'b.ts': `export default class B {}\nexport function b(): string {\n  return new B() instanceof B ? 'b' : '';\n}\nexport { default as d } from './a.ts';\n`,
        'c.ts': `export const c = 'c';\n`,
      },
    ],
    [
      'a package in the older form',
      '["old"]',
      {
        'main.ts': `import old from './old.js';\nseen.push(old.word);\n`,
        'old.js': `(function (t) { t.word = 'old'; })(typeof module !== 'undefined' ? module.exports : null);\n`,
      },
    ],
    [
      'names of properties and of surroundings as they are',
      '["surrounding",{"word":1,"other":2},3]',
      {
        'main.ts': `const word = 1;\nconst { other = 2, ...rest }: { other?: number; third?: number } = { third: 3 };\nseen.push(surrounding, { word, other }, rest.third);\n`,
      },
    ],
    [
      'parameters that the body does not use',
      '[2]',
      {
        'main.ts': `const add = (_: number, outer = 2): number => {\n  const own = outer;\n  return own;\n};\nseen.push(add(1));\n`,
      },
    ],
  ];
  for (const [name, seen, files] of rows)
    it(`holds ${name}`, async () => {
      expect(await run(files)).to.equal(seen);
    });

  for (const [name, files] of [
    ['a name that is not exported', { 'main.ts': `import { b } from './o.ts';\nb();\n`, 'o.ts': `export {};\n` }],
  ] as const)
    it(`is refused when a module takes ${name}`, async () => {
      const error: unknown = await run(files).catch((thrown: unknown) => thrown);
      expect(error).to.be.an('error');
    });

  describe('that is divided', () => {
    const files = {
      'main.ts': `import { count } from './state.ts';
import word from './default.ts';
seen.push(word, count());
globalThis.open = async () => [await import('./one/screens.ts'), await import('./two/screens.ts')];
`,
      'state.ts': `let calls = 0;\nexport const count = (): number => (calls += 1);\nexport const unused = 'of the first';\n`,
      'default.ts': `export default 'default';\n`,
      'one/screens.ts': `import { count } from '../state.ts';\nimport { same } from '../both.ts';\nexport const one = () => count() + same;\n`,
      'two/screens.ts': `import { count } from '../state.ts';\nimport word from '../default.ts';\nexport const two = () => word + count();\n`,
      'both.ts': `export const same = ' of both';\n`,
    };
    let made: Readonly<Record<string, string>>;
    beforeEach(async () => {
      for (const part of ['one', 'two']) mkdirSync(join(folder, part));
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
      made = await dividedScript(pathToFileURL(join(folder, 'main.ts')))();
    });

    it('has a file for each module that is imported later, named after its folder and its text', () => {
      expect(Object.keys(made)).to.have.length(3);
      expect(Object.keys(made)).to.include('app.js');
      for (const part of ['one', 'two'])
        expect(
          Object.keys(made).filter((name) => new RegExp(`^app/${part}-[\\w-]{10}\\.js$`).test(name)),
        ).to.have.length(1);
    });

    it('keeps one state: parts take what the first file holds from there', async () => {
      for (const [name, text] of Object.entries(made)) {
        mkdirSync(dirname(join(folder, 'site', name)), { recursive: true });
        writeFileSync(join(folder, 'site', name), text);
      }
      writeFileSync(join(folder, 'site/package.json'), '{"type":"module"}');
      const names = Object.keys(made).filter((name) => name !== 'app.js');
      for (const name of names) expect(made[name], name).not.to.include('calls');
      const run = `globalThis.seen = [];
await import('./app.js');
const [{ one }, { two }] = await open();
seen.push(one(), two());
process.stdout.write(JSON.stringify(seen));`;
      writeFileSync(join(folder, 'site/run.js'), run);
      const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'site/run.js')]);
      expect(JSON.parse(stdout)).to.deep.equal(['default', 1, '2 of both', 'default3']);
    });
  });
});
