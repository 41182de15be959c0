import gt from 'semver/functions/gt.js';
import valid from 'semver/functions/valid.js';
import manifest from '../../package.json' with { type: 'json' };

/** The version of the program, semver; also `info.version` of the API. */
export const version: string = manifest.version;

/** Says whether one version is newer than another; a text that is no version is older than each. */
export function isNewer(one: string, other: string): boolean {
  if (valid(one) === null) return false;
  return valid(other) === null || gt(one, other);
}
