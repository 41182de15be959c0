import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { expect } from 'chai';
import { transform } from 'esbuild';
import { packageDir } from '../../../helpers/folder.ts';
import { compact } from '../../../../kernel/http/html/compact.ts';

describe('a module without comments and needless space', () => {
  const rows: readonly (readonly [name: string, source: string, compact: string])[] = [
    ['comments', '/** Does. */\nconst a = 1; // one\n/* two */ const b = 2;\n', 'const a=1;\nconst b=2;'],
    ['what looks like a comment', "const a = 'http://b'; // c\nd = `/* e */`;", "const a='http://b';\nd=`/* e */`;"],
    [
      'a regular expression',
      'a = /\\/\\*["\'`]/.test(b) ? 4 / 2 / 1 : /[/*]/u;',
      'a=/\\/\\*["\'`]/.test(b)?4/2/1:/[/*]/u;',
    ],
    ['a division after a bracket', '(a + b) / 2; // c / d\ne[0] / 2;', '(a+b)/2;\ne[0]/2;'],
    ['a division by an expression', 'a / /b/.c + +d - -e', 'a/ /b/.c+ +d- -e'],
    ['templates in templates', '`a  ${b( // c\n  `d  ${ {e: 1}.e }`)}  f`;', '`a  ${b(`d  ${{e:1}.e}`)}  f`;'],
    ['space in a text', '`a\n   b`', '`a\n   b`'],
    ['space in a page', 'html`<a>\n   b\n\n c  d </a>`', 'html`<a>\nb\nc  d </a>`'],
    ['a line that ends a statement', 'const a = b\n  // c\n\n  [d].e()', 'const a=b\n[d].e()'],
    ['a line that does not', 'a\n  .b(\n c,\n )\n ? d\n : e', 'a.b(c,)?d:e'],
    ['what a line sets apart', 'const f = async () => a\n++b\nreturn\nc', 'const f=async()=>a\n++b\nreturn\nc'],
    ['quotes in quotes', `a = 'it\\'s // no'; b = "\\\\"; // c`, `a='it\\'s // no';b="\\\\";`],
  ];
  for (const [name, source, expected] of rows)
    it(`keeps its meaning: ${name}`, () => expect(compact(source)).to.equal(expected));

  it('is the same program, for every module of the tree', async () => {
    const minified = async (source: string): Promise<string> => (await transform(source, { minify: true })).code;
    // What is left of lines is in templates.
    const inPage = (text: string): string => text.replace(/[ \t]*\n\s*/g, '\n');
    const files = ['kernel/http', 'plugins'].flatMap((folder) =>
      readdirSync(join(packageDir, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => join(packageDir, folder, name)),
    );
    expect(files).to.have.length.above(300);
    for (const file of files) {
      const source = stripTypeScriptTypes(readFileSync(file, 'utf8'));
      const short = compact(source);
      expect(short.length, file).to.be.at.most(source.length);
      expect(inPage(await minified(short)), file).to.equal(inPage(await minified(source)));
    }
  }).timeout(60_000);
});
