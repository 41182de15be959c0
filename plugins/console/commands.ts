import type { Command } from '../../kernel/index.ts';
import { apiCommand } from '../terminal/contract.ts';
import type { MadeLink } from './session/schema.ts';

/** The commands of the console. */
export const consoleCommands: readonly Command[] = [
  apiCommand<MadeLink>({
    path: 'console open',
    summary: 'print a link that signs in to the console with this key',
    route: 'POST /console/links',
    show: ({ url }) => url,
    hint: ({ expires_at }) => `Open it in a browser before ${expires_at}. It works once, after you confirm.`,
  }),
];
