import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Locations of the policies. */
export interface PolicyHome {
  /** Returns the folder that is served: the one in ORB_HOME, else the package's. */
  served(): string;
  /** The folder in ORB_HOME, which may not exist yet; all writes go there. */
  readonly own: string;
}

/** Finds the policies of a home. Once the home's own folder was seen, the shipped one is never served again. */
export function policyHome(home: string, shipped: string): PolicyHome {
  const own = join(home, 'policies');
  let seen = false;
  return {
    own,
    served() {
      seen ||= existsSync(own);
      return seen ? own : shipped;
    },
  };
}
