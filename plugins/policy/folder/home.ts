import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isPolicyFile } from '../revisions/revision.ts';
import { faultOf } from './gate.ts';
import { readFolder, type Snapshot } from './read.ts';

/** Locations of the policies. */
export type PolicyHome = ReturnType<typeof policyHome>;

/** The package's folder of policies, and the digests of the files in it that ship. */
export interface ShippedPolicies {
  readonly folder: string;
  /** Path below the folder → SHA-256, 64 hex digits. */
  digests(): ReadonlyMap<string, string>;
}

/** Finds the policies of a home. Once the home's own folder was seen, the shipped one is never served again. */
export function policyHome(home: string, shipped: ShippedPolicies) {
  const own = join(home, 'policies');
  let seen = false;
  const served = (): string => {
    seen ||= existsSync(own);
    return seen ? own : shipped.folder;
  };
  return {
    /** The folder in ORB_HOME, which may not exist yet; all writes go there. */
    own,
    /** Returns the folder that is served: the one in ORB_HOME, else the package's. */
    served,
    /** Reads the policy files of a folder, by default the served one. Of the package's folder only shipped files count. */
    async read(folder: string = served()) {
      const snapshot = await readFolder(folder);
      return folder === own ? snapshot : shippedOf(snapshot, shipped.digests());
    },
  };
}

// A file that an operator put into the package's folder belongs to the home that is that folder.
function shippedOf({ files, diagnostics }: Snapshot, digests: ReadonlyMap<string, string>): Snapshot {
  const listed = files.filter(({ path }) => digests.has(path));
  const found = new Map(listed.map(({ path, bytes }) => [path, createHash('sha256').update(bytes).digest('hex')]));
  const wrong = [...digests].filter(([path, digest]) => isPolicyFile(path) && found.get(path) !== digest);
  const known = diagnostics.filter(({ file = '' }) => digests.has(file));
  return {
    files: listed.filter(({ path }) => found.get(path) === digests.get(path)),
    diagnostics: [...known, ...wrong.map(([path]) => faultOf('not_shipped', notShipped, path, waysOut))],
  };
}

const notShipped = "the file in the program's folder is not the shipped one";
const waysOut = 'restore the file, or copy the folder `policies` into the home';
