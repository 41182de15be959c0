import { defineProblems } from '../../kernel/index.ts';

/** Problems of providers that are kept in the store. */
export const problems = defineProblems({
  provider_not_found: {
    status: 404,
    title: 'There is no such provider',
    cause: 'Neither platform.json nor the store has a provider with this name.',
    remedy: 'Check the name; GET /providers shows the providers of each Orb.',
  },
  provider_limit: {
    status: 409,
    title: 'The limit of stored providers is reached',
    cause: 'The store keeps as many providers as it may.',
    remedy: 'Remove a provider that serves no Orb.',
  },
});
