import { defineProblems } from '../../kernel/index.ts';

/** Problems of subscriptions. */
export const problems = defineProblems({
  subscription_not_found: {
    status: 404,
    title: 'There is no such subscription',
    cause: 'No subscription has this id, or it belongs to another tenant.',
    remedy: 'Check the id; the list of subscriptions of the Orbiset shows all of them.',
  },
  callback_not_found: {
    status: 404,
    title: 'There is no such callback',
    cause: 'No callback has this id, or it was deleted after its retention time.',
    remedy: 'Check the id; the list of callbacks of the subscription shows all that are kept.',
  },
  subscription_limit: {
    status: 409,
    title: 'The Orbiset has reached its limit of subscriptions',
    cause: 'The Orbiset has as many subscriptions as it may have.',
    remedy: 'Delete a subscription that is not used, or change an existing one.',
  },
  callback_erased: {
    status: 409,
    title: 'The body of the callback has been erased',
    cause: 'The body of a callback is kept for a limited time and then erased, so it cannot be sent again.',
    remedy: 'Read the run instead; it is kept longer.',
  },
});
