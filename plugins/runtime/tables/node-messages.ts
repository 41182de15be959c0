import type { WriteContext } from '../../../kernel/index.ts';

/** The topics of a run that one node was asked to cancel while another works on it. */
export const cancelTopics = { asked: 'queue.cancel', refused: 'queue.dispatched' } as const;

/** The topic of tools whose definition changed at a provider; its messages are names of providers. */
export const definitionTopic = 'definitions';

/** The operations by which nodes notify each other of what no table holds. */
export const messageWrites = {
  /** Asks the node that works on a run to cancel it. */
  askCancel: ({ run_id }: { run_id: string }, write: WriteContext): void => write.tell(cancelTopics.asked, run_id),
  /** Answers that it was dispatched. */
  refuseCancel: ({ run_id }: { run_id: string }, write: WriteContext): void => write.tell(cancelTopics.refused, run_id),
  /** Tells that a provider changed the definition of a tool. */
  tellDefinitions: ({ provider }: { readonly provider: string }, write: WriteContext): void =>
    write.tell(definitionTopic, provider),
};
