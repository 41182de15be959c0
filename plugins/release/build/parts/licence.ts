/** SPDX identifiers that allow what is under them to be handed on with a work under Apache-2.0. */
export const fitLicences: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'PSF-2.0',
  'Python-2.0',
  'Unlicense',
  'Zlib',
]);

/** Those, and MPL-2.0 (copyleft of its own files alone), for packages that build and test but are never handed on. */
export const fitForTests: ReadonlySet<string> = new Set([...fitLicences, 'MPL-2.0']);

/**
 * Tells whether an SPDX expression leaves a choice of fit licences only: OR needs one fit side, AND both. What cannot be
 * read (`SEE LICENSE IN …`, `UNLICENSED`, an exception) is not fit.
 */
export function isFit(expression: string, fit: ReadonlySet<string> = fitLicences): boolean {
  const tokens = expression.match(/[()]|[^\s()]+/g) ?? [];
  let readable = true;
  const next = (token: string): boolean => (tokens[0] === token ? tokens.shift() !== undefined : false);
  // AND binds closer than OR: SPDX specification, annex "SPDX license expressions".
  const either = (): boolean => {
    let found = both();
    while (next('OR')) found = both() || found;
    return found;
  };
  const both = (): boolean => {
    let found = one();
    while (next('AND')) found = one() && found;
    return found;
  };
  const one = (): boolean => {
    if (!next('(')) return named(tokens.shift());
    const found = either();
    if (!next(')')) readable = false;
    return found;
  };
  const named = (licence = 'OR'): boolean => {
    if (/^(?:AND|OR|WITH|\(|\))$/.test(licence)) readable = false;
    return fit.has(licence);
  };
  return either() && readable && tokens.length === 0;
}
