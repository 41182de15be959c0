import { defineProblems } from '../../kernel/index.ts';

/** Problems of subscriptions. */
export const problems = defineProblems({
  subscription_not_found: {
    status: 404,
    title: 'There is no such subscription',
    retryable: false,
    cause: 'No subscription has this id, or it belongs to another tenant.',
    remedy: 'Check the id; the list of subscriptions of the Orbiset shows those that there are.',
  },
  callback_not_found: {
    status: 404,
    title: 'There is no such callback',
    retryable: false,
    cause: 'No callback has this id, or it was removed with its age.',
    remedy: 'Check the id; the list of callbacks of the subscription shows those that are kept.',
  },
  subscription_limit: {
    status: 409,
    title: 'The Orbiset has as many subscriptions as it may',
    retryable: false,
    cause: 'The Orbiset has the most subscriptions that it may have.',
    remedy: 'Delete a subscription that nobody uses, or change one that is there.',
  },
  callback_erased: {
    status: 409,
    title: 'The body of the callback has been erased',
    retryable: false,
    cause: 'The body of a callback is kept for a limited time and then erased, so it cannot be sent again.',
    remedy: 'Read the run itself; it is kept for longer.',
  },
});
