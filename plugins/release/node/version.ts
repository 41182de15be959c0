import { defineCommand } from '../../../kernel/index.ts';
import { record } from '../../terminal/contract.ts';

/** `orb version`: the versions of the program and of the Node that runs it, with the platform. */
export const versionCommand = defineCommand({
  path: 'version',
  summary: 'print the versions of the program and of its Node',
  run({ installation, print }) {
    const { node, openssl, sqlite, v8 } = process.versions;
    const target = `${process.platform}-${process.arch}`;
    const versions = { version: installation.version, node, target, v8, openssl, sqlite: sqlite ?? '' };
    print(versions, record(Object.entries(versions)).toString());
    return Promise.resolve(0);
  },
});
