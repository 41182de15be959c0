import type { Known } from './rules.ts';

/** What was looked at by hand. */
export const known: Known = {
  licences: {
    // Its package.json of 2015 has no such field; its LICENSE file is the text of MIT. badge-maker needs it.
    'color-convert@0.5.3': 'MIT',
    // It points to a LICENSE file that it does not ship; its README states MIT. Only tests run it.
    '@modelcontextprotocol/server-everything@2026.8.31': 'MIT',
  },
  // esbuild's script only replaces its launcher by the native program, for speed; it works without. That of better-sqlite3
  // builds the program from source where none is shipped for the platform.
  installScripts: ['esbuild', 'better-sqlite3'],
};
