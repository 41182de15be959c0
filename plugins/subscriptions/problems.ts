import { defineProblems } from '../../kernel/index.ts';

/** Problems of subscriptions. */
export const problems = defineProblems({
  subscription_not_found: { status: 404, title: 'There is no such subscription', retryable: false },
  callback_not_found: { status: 404, title: 'There is no such callback', retryable: false },
  subscription_limit: { status: 409, title: 'The Orbiset has as many subscriptions as it may', retryable: false },
  callback_erased: { status: 409, title: 'The body of the callback has been erased', retryable: false },
});
