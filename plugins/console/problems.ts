import { defineProblems } from '../../kernel/index.ts';

/** Problems of the console. */
export const problems = defineProblems({
  not_from_console: {
    status: 403,
    title: 'The request does not come from the console',
    retryable: false,
    cause:
      'Only the pages of the console, at this very address, may sign in; the browser says which page a request is from, by TLS or on loopback.',
    remedy: 'Open the console at the address that `orb serve` prints, in a current browser, and sign in there.',
  },
});
