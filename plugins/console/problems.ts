import { defineProblems } from '../../kernel/index.ts';

/** Problems of the console. */
export const problems = defineProblems({
  not_from_console: {
    status: 403,
    title: 'The request does not come from the console',
    cause:
      'Only pages of the console at the same address may send this request. The browser states the page of a request, but only by TLS or on loopback.',
    remedy: 'Open the console in a current browser at the address that `orb serve` prints, and sign in there.',
  },
});
