import type { Command } from '../../../kernel/index.ts';
import { grantNamespace } from './namespaces-grant.ts';
import { listNamespaces } from './namespaces-list.ts';
import { revokeNamespace } from './namespaces-revoke.ts';
import { listMarketplace } from './list.ts';
import { publishOrb } from './publish.ts';
import { signOrb } from './sign.ts';
import { deprecateOrb, yankOrb } from './status.ts';

/** The commands of the marketplace. */
export const marketplaceCommands: readonly Command[] = [
  listMarketplace,
  publishOrb,
  deprecateOrb,
  yankOrb,
  listNamespaces,
  grantNamespace,
  revokeNamespace,
  signOrb,
];
