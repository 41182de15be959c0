import compare from 'semver/functions/compare.js';
import prerelease from 'semver/functions/prerelease.js';

/** Orders versions of a name: a release before any pre-release, then the higher one. */
export function newestFirst(one: { readonly version: string }, other: { readonly version: string }): number {
  const early = Number(prerelease(one.version) !== null) - Number(prerelease(other.version) !== null);
  return early !== 0 ? early : compare(other.version, one.version) || (one.version < other.version ? -1 : 1);
}
