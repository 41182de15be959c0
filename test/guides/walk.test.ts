import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect } from 'chai';
import { packageDir } from '../helpers/folder.ts';
import { beginWalk } from './walk.ts';

const fence = '```';
const block = (language: string, code: string): string => `${fence}${language}\n${code}\n${fence}\n\n`;
const answer = `echo '{"run_id":"run_01M7Z0PBQG0RKE7F53B8HZKY1N","list":[{"n":1},{"n":2}],"at":null}'`;

describe('who follows a guide', function () {
  this.timeout(60_000);
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orb-guide-'));
    mkdirSync(join(folder, 'home'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Follows a guide of these blocks; answers what it printed, or the message of what went wrong. */
  async function follow(...text: readonly string[]): Promise<string> {
    writeFileSync(join(folder, 'guide.md'), `# Guide\n\n## Part\n\n${text.join('')}`);
    const path = relative(packageDir, join(folder, 'guide.md'));
    const walk = beginWalk(path, { home: join(folder, 'home'), url: 'http://127.0.0.1:1234' });
    try {
      return await walk.follow('Part');
    } catch (error) {
      return `wrong: ${String(error)}`;
    } finally {
      walk.end();
    }
  }

  const sound: Readonly<Record<string, readonly string[]>> = {
    'variables stay from block to block': [block('sh', 'A=1'), block('sh', 'test "$A" = 1')],
    'a file is saved under the name above it': [
      'Save it as `a/b.json`:\n\n',
      block('json', '{"x":1}'),
      block('sh', 'grep x a/b.json'),
    ],
    'a program is saved, checked and run': [
      block('ts', "// a.ts\nconst x: number = 1;\nconsole.log('x', x);"),
      block('sh', 'node a.ts'),
      block('text', 'x 7'),
    ],
    'a sample has the shape of the answer': [
      block('sh', answer),
      block('json', '{"run_id":"run_2","list":[{"n":5}],"at":null}'),
    ],
    'a sample may leave members out, and says so': [block('sh', answer), block('json', '{"at":null,"…":"more"}')],
    'a sample may leave lines out, and says so': [block('sh', 'printf "a 1\\nb\\nc\\n"'), block('text', 'a 2\n…\nc')],
    'the address is that of the server': [
      block('sh', 'U=http://127.0.0.1:8080'),
      block('sh', 'test "$U" = http://127.0.0.1:1234'),
    ],
  };
  for (const [title, text] of Object.entries(sound))
    it(`finds it right that ${title}`, async () => expect(await follow(...text)).to.not.match(/^wrong/));

  const unsound: Readonly<Record<string, readonly string[]>> = {
    'a command fails': [block('sh', 'false\ntrue')],
    'a command fails before a pipe': [block('sh', 'false | cat')],
    'a program has a wrong type': [block('ts', "// a.ts\nconst x: number = '1';\nvoid x;"), block('sh', 'node a.ts')],
    'a program is never run': [block('ts', '// a.ts\nconsole.log(1);')],
    'a program throws': [block('ts', "// a.ts\nthrow new Error('x');"), block('sh', 'node a.ts')],
    'a member of a sample is not in the answer': [block('sh', answer), block('json', '{"run":"x","…":"more"}')],
    'a member of the answer is not in the sample': [block('sh', answer), block('json', '{"at":null}')],
    'a member of an element is another': [block('sh', answer), block('json', '{"list":[{"m":1}],"…":"more"}')],
    'a member has another type': [block('sh', answer), block('json', '{"at":"x","…":"more"}')],
    'no JSON was printed': [block('sh', 'echo hello'), block('json', '{}')],
    'a line of a sample was not printed': [block('sh', 'printf "a\\nb\\n"'), block('text', 'a\nc')],
    'a printed line is not in the sample': [block('sh', 'printf "a\\nb\\n"'), block('text', 'a')],
    'nobody reads a block': [block('', 'orb serve')],
    'only npx orb is there': [block('sh', 'npx other')],
  };
  for (const [title, text] of Object.entries(unsound))
    it(`finds it wrong when ${title}`, async () => expect(await follow(...text)).to.match(/^wrong/));
});
