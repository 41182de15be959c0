import type { Known } from './rules.ts';

/** What was looked at by hand. */
export const known: Known = {
  licences: {
    // Its package.json of 2015 has no such field; its LICENSE file is the text of MIT. badge-maker needs it.
    'color-convert@0.5.3': 'MIT',
  },
  // esbuild's script only replaces its launcher by the native program, for speed; it works without.
  installScripts: ['esbuild'],
};
