import manifest from '../../package.json' with { type: 'json' };

/** The version of the program, semver; also `info.version` of the API. */
export const version: string = manifest.version;
