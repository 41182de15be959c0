import type { WriteContext } from '../../../kernel/index.ts';

/** The topic of tools that a provider defines again: what is told are the names of providers. */
export const definitionTopic = 'definitions';

/** The operation by which one node tells the others that a provider defines a tool again. */
export const definitionWrites = {
  tellDefinitions: ({ provider }: { readonly provider: string }, write: WriteContext): void =>
    write.tell(definitionTopic, provider),
};
