import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect } from 'chai';
import { builtin } from '../../kernel/builtin.ts';
import { packageDir } from '../../kernel/boot/config.ts';
import { scopesOf } from '../../kernel/kernel.ts';
import { startPlatform } from '../helpers/platform.ts';
import { readGuide } from '../helpers/guide.ts';
import { tableUnder } from '../helpers/readme.ts';
import { headingsOf } from './walk.ts';
import { describingRoutes } from '../helpers/shipped.ts';

const guides = [
  'kernel/http/README.md',
  'kernel/cli/README.md',
  'plugins/marketplace/README.md',
  'plugins/receipts/README.md',
];
const all = [...guides, 'kernel/kit/README.md'];

describe('the guides', () => {
  let routes: ReadonlySet<string>;
  before(async () => {
    const platform = await startPlatform();
    routes = new Set([...platform.kernel.routes, ...describingRoutes].map(({ method, path }) => `${method} ${path}`));
    await platform.stop();
  });

  for (const guide of guides)
    it(`${guide} is short, and has blocks under no heading twice`, () => {
      expect(readGuide(guide).split('\n').length - 1).to.be.within(80, 200);
      const titles = [...prose(guide).matchAll(/^#+ (.+)$/gm)].map(([, title]) => title);
      expect(new Set(titles).size).to.equal(titles.length);
      expect(headingsOf(guide).length).to.be.greaterThan(5);
    });

  for (const guide of all)
    it(`${guide} links to files and headings that exist`, () => {
      for (const [, target = ''] of prose(guide).matchAll(/\]\((?!https?:)([^)]+)\)/g)) {
        const [file = '', anchor] = target.split('#');
        const path = file === '' ? guide : normalize(join(dirname(guide), file));
        expect(existsSync(join(packageDir, path)), `${guide}: ${target}`).to.equal(true);
        if (anchor !== undefined) expect(anchorsOf(path), `${guide}: ${target}`).to.include(anchor);
      }
    });

  // That for authors names the routes of a service that is made up.
  for (const guide of ['README.md', ...guides])
    it(`${guide} names routes, commands and scopes that exist`, () => {
      const commands = tableUnder('Commands').map(([command = '']) => command.replace(/`| [<[].*$/g, ''));
      const scopes = Object.keys(scopesOf(builtin.plugins));
      const unknown = codesOf(guide).filter((code) => {
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
