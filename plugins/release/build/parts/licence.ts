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

// Sentences that only the text of one licence has. (SPDX licence list, matching guidelines.)
const marks: readonly (readonly [licence: string, mark: RegExp])[] = [
  ['Apache-2.0', /Apache License,?\s+Version 2\.0/i],
  ['BSD-3-Clause', /Neither the name of/i],
  ['ISC', /Permission to use, copy, modify, and\/?(?:or)? distribute this software for any purpose/i],
  ['MIT', /Permission is hereby granted, free of charge, to any person obtaining/i],
];
const bsd = /Redistribution and use in source and binary forms/i;

/** Finds the licences whose text this is, as an SPDX expression; undefined: the text is of no licence known here. */
export function licenceOf(text: string): string | undefined {
  const found = marks.flatMap(([licence, mark]) => (mark.test(text) ? licence : []));
  const all = bsd.test(text) && !found.includes('BSD-3-Clause') ? [...found, 'BSD-2-Clause'] : found;
  return all.length === 0 ? undefined : all.sort().join(' AND ');
}
