import { defineCommand } from '../../../kernel/index.ts';
import { optionsOf, record } from '../../terminal/contract.ts';
import { ownSbom } from './sbom-asset.ts';

/** `orb version`: the versions of the program and of the Node that runs it, with the platform; or what it consists of. */
export const versionCommand = defineCommand({
  path: 'version',
  summary: 'print the versions of the program and of its Node',
  options: optionsOf({ '--sbom': 'print the list of all that the executable holds (CycloneDX) instead' }),
  run({ installation, note, options, print }) {
    if (options['sbom'] === true) {
      const list = ownSbom();
      if (list === undefined) note('only an executable of a release holds the list of its parts');
      else print(JSON.parse(list), list.trimEnd());
      return Promise.resolve(list === undefined ? 1 : 0);
    }
    const { node, openssl, sqlite, v8 } = process.versions;
    const target = `${process.platform}-${process.arch}`;
    const versions = { version: installation.version, node, target, v8, openssl, sqlite: sqlite ?? '' };
    print(versions, record(Object.entries(versions)).toString());
    return Promise.resolve(0);
  },
});
