import { defineProblems } from '../../kernel/index.ts';

/** Problems of listings and namespaces. */
export const problems = defineProblems({
  namespace_not_found: { status: 404, title: 'There is no such namespace', retryable: false },
  listing_not_found: { status: 404, title: 'The marketplace has no such Orb', retryable: false },
  version_published: { status: 409, title: 'The version is published and can no longer change', retryable: false },
  listing_final: { status: 409, title: 'The listing is permanently yanked or removed', retryable: false },
  listing_invalid: { status: 422, title: 'The listing breaks rules of the marketplace', retryable: false },
});
