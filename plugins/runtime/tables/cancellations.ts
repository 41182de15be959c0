import type { WriteContext } from '../../../kernel/index.ts';

/** The topics of a run that one node was asked to cancel while another works on it. */
export const cancelTopics = { asked: 'queue.cancel', refused: 'queue.dispatched' } as const;

/** The operations with which nodes speak of it. */
export const cancelWrites = {
  /** Asks the node that works on a run to cancel it. */
  askCancel: ({ run_id }: { run_id: string }, write: WriteContext): void => write.tell(cancelTopics.asked, run_id),
  /** Answers that it was dispatched. */
  refuseCancel: ({ run_id }: { run_id: string }, write: WriteContext): void => write.tell(cancelTopics.refused, run_id),
};
