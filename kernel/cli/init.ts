import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { homeFiles } from '../kit/scaffold/home.ts';
import { defineCommand } from './command.ts';

/** `orb init`: makes the home of a server, with files that a person reads and changes. */
export const init = defineCommand({
  path: 'init',
  summary: 'create the home of a server: settings with comments, policies, a folder for Orbs',
  args: [
    { name: 'folder', description: 'a new or empty folder; default: ORB_HOME, or the current folder', optional: true },
  ],
  async run({ args: [folder], env, print }) {
    const home = resolve(folder ?? env['ORB_HOME'] ?? '.');
    const files = homeFiles();
    refuseUsed(home, Object.keys(files));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), text, { flag: 'wx' });
    }
    const next = home === process.cwd() ? 'orb serve' : `orb serve --home ${shellWord(relative(process.cwd(), home))}`;
    print({ home, files: Object.keys(files), next }, [...Object.keys(files), '', 'Next:', next].join('\n'));
  },
});

// Policies count as a whole: a shipped one next to those of an operator could allow what they do not.
function refuseUsed(home: string, paths: readonly string[]): void {
  const names = new Set(paths.map((path) => (path.startsWith('policies/') ? 'policies' : path)));
  const taken = [...names].filter((name) => existsSync(join(home, name)));
  if (taken.length > 0) throw new Error(`${home} already contains ${taken.join(', ')}; name a new or empty folder`);
}

function shellWord(path: string): string {
  return /^[\w./@%+,:=-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
