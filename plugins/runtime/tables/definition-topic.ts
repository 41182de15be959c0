import type { WriteContext } from '../../../kernel/index.ts';

/** The topic of tools whose definition changed at a provider; its messages are names of providers. */
export const definitionTopic = 'definitions';

/** The operation by which a node notifies the others that a provider changed the definition of a tool. */
export const definitionWrites = {
  tellDefinitions: ({ provider }: { readonly provider: string }, write: WriteContext): void =>
    write.tell(definitionTopic, provider),
};
