import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect } from 'chai';
import { builtin, describingRoutes } from '../helpers/shipped.ts';
import { packageDir } from '../helpers/folder.ts';
import { scopesOf } from '../../kernel/kernel.ts';
import { shippedCommands } from '../../kernel/main.ts';
import { startPlatform } from '../helpers/platform.ts';
import { guideBlocks, readGuide } from '../helpers/guide.ts';
import { folderGuides, pages, pagesFolder } from '../helpers/pages.ts';

const documents = ['README.md', 'CHANGELOG.md', 'SECURITY.md', ...folderGuides, ...pages];

const runsTypescript = /^(?:\w+=\S+ )*node (?:--test )?[\w./-]+\.ts\b/m;

describe('the guides', () => {
  let routes: ReadonlySet<string>;
  before(async () => {
    const platform = await startPlatform();
    routes = new Set([...platform.kernel.routes, ...describingRoutes].map(({ method, path }) => `${method} ${path}`));
    await platform.stop();
  });

  for (const page of pages)
    it(`${page} is short, has one title, and no heading twice`, () => {
      expect(readGuide(page).split('\n').length - 1).to.be.at.most(/(decisions|extend)\.md$/.test(page) ? 300 : 200);
      const titles = [...prose(page).matchAll(/^#+ (.+)$/gm)].map(([, title]) => title);
      expect(new Set(titles).size).to.equal(titles.length);
      expect(prose(page).match(/^# /gm)).to.have.length(1);
    });

  for (const document of documents)
    it(`${document} links to files and headings that exist`, () => {
      for (const [, target = ''] of prose(document).matchAll(/\]\((?!https?:)([^)]+)\)/g)) {
        const [file = '', anchor] = target.split('#');
        const path = file === '' ? document : normalize(join(dirname(document), file));
        expect(existsSync(join(packageDir, path)), `${document}: ${target}`).to.equal(true);
        if (anchor !== undefined) expect(anchorsOf(path), `${document}: ${target}`).to.include(anchor);
      }
    });

  for (const document of ['README.md', ...pages])
    it(`${document} names files of the tree that exist`, () => {
      const named = prose(document).matchAll(/`((?:kernel|plugins|providers|test|data)\/[\w./-]+\.\w+)`/g);
      // What an installation makes, or the reader does.
      const made = /^data\/(?:state\/|platform\.json|prices\.json|orbs\/)/;
      for (const [, path = ''] of named)
        if (!made.test(path)) expect(existsSync(join(packageDir, path)), path).to.equal(true);
    });

  // That for authors names the routes of a service that is made up.
  for (const document of [
    'README.md',
    ...pages.filter((page) => !/\/extend(?:\/(?:plugins|reports))?\.md$/.test(page)),
  ])
    it(`${document} names routes, commands and scopes that exist`, () => {
      const commands = shippedCommands().map(({ path }) => `orb ${path}`);
      const scopes = Object.keys(scopesOf(builtin.plugins));
      const unknown = codesOf(document).filter((code) => {
        const route = /^(?:GET|POST|PUT|PATCH|DELETE) \/[^?]*/.exec(code)?.[0];
        if (route !== undefined) return !routes.has(route);
        const command = /^(?:npx )?(orb [a-z][a-z -]*[a-z])/.exec(code)?.[1];
        if (command !== undefined)
          return !commands.some((known) => `${command} `.startsWith(`${known} `) || known.startsWith(`${command} `));
        const scope = /^(?!host:|did:)([a-z-]+:[a-z]+)(?::|$)/.exec(code)?.[1];
        return scope !== undefined && !scopes.includes(scope);
      });
      expect(unknown).to.deep.equal([]);
    });

  for (const page of pages.filter((name) => guideBlocks(name).some(({ code }) => runsTypescript.test(code))))
    it(`${page} puts the Node of the checkout first before it runs TypeScript, which Node 20 does not run`, () => {
      const blocks = guideBlocks(page).filter(({ language }) => language === 'sh');
      const first = blocks.findIndex(({ code }) => code.includes('export PATH="$PWD/node_modules/.bin:$PATH"\n'));
      expect(first)
        .to.be.at.least(0)
        .and.at.most(blocks.findIndex(({ code }) => runsTypescript.test(code)));
    });

  it('have every block run by a test', () => {
    const tests = readdirSync(join(packageDir, 'test'), { recursive: true, encoding: 'utf8' })
      .filter((name) => /^(guides|plugins\/(?:kit|release)|readme)/.test(name) && name.endsWith('.test.ts'))
      .map((name) => readFileSync(join(packageDir, 'test', name), 'utf8'))
      .join('\n');
    // A picture is no block.
    const withBlocks = pages.filter((page) =>
      guideBlocks(page).some(({ code }) => !/^(?:caller ─|kernel\/)/.test(code)),
    );
    expect(withBlocks.length).to.be.greaterThan(8);
    const unread = withBlocks.filter((page) => {
      const name = page.slice(pagesFolder.length + 1, -3);
      return !tests.includes(page) && !tests.includes(`page: '${name}'`) && !tests.includes(`{pagesFolder}/${name}.md`);
    });
    expect(unread).to.deep.equal([]);
  });

  it('pad no table that is wider than 120 characters', () => {
    const padded = documents.flatMap((document) =>
      tablesOf(prose(document))
        .filter((lines) => lines.some((line) => line.length > 120 && / {2,}\||-{4,} \|/.test(line)))
        .map(([head]) => `${document}: ${head}`),
    );
    expect(padded).to.deep.equal([]);
  });
});

/** Reads a guide without its blocks. */
function prose(guide: string): string {
  return readFileSync(join(packageDir, guide), 'utf8').replace(/^```[^]*?^```$/gm, '');
}

function codesOf(guide: string): readonly string[] {
  return [...prose(guide).matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replace(/\s+/g, ' '));
}

/** Lists the addresses of a document's headings, as a page of it has them. */
function anchorsOf(path: string): readonly string[] {
  return [...prose(path).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
}

function tablesOf(text: string): readonly (readonly string[])[] {
  return [...text.matchAll(/(?:^\|.*\n)+/gm)].map(([table]) => table.trimEnd().split('\n'));
}
