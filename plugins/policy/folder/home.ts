import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Where the policies lie. */
export interface PolicyHome {
  /** The folder that is served: ORB_HOME's own, else the package's. */
  served(): string;
  /** ORB_HOME's own folder, whether it is there or not: what is written goes there. */
  readonly own: string;
}

/** Finds the policies of a home. Once its own folder has been seen it stays: a folder that vanishes never uncovers another. */
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
