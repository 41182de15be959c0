import { defineProblems, PlatformError } from '../../kernel/index.ts';

/** Problems of listings and namespaces. */
export const problems = defineProblems({
  namespace_not_found: {
    status: 404,
    title: 'There is no such namespace',
    cause: 'No namespace with this name was granted.',
    remedy: 'Check the name. An operator grants namespaces with `orb namespaces grant`.',
  },
  listing_not_found: {
    status: 404,
    title: 'The marketplace has no such Orb',
    cause: 'The Orb or this version was never published here.',
    remedy: 'Check the id; `GET /marketplace/orbs` lists what is published.',
  },
  version_published: {
    status: 409,
    title: 'The version is published and can no longer change',
    cause: 'Users rely on a published version, so its content is final.',
    remedy: 'Publish the change under a new version.',
  },
  listing_final: {
    status: 409,
    title: 'The listing is permanently yanked or removed',
    cause: 'The version was yanked or removed. This cannot be undone.',
    remedy: 'Publish a new version.',
  },
  listing_invalid: {
    status: 422,
    title: 'The listing breaks a rule of the marketplace',
    cause: 'The texts, the manifest or the namespace of the Orb break a rule for publications.',
    remedy: 'Correct the places that `errors` names, then publish again.',
  },
});

/** Makes the 404 for a version that was never published. */
export function neverPublished(orbId: string): PlatformError {
  const detail = `${orbId} was never published; GET /marketplace/orbs lists what was`;
  return new PlatformError(problems.listing_not_found, detail);
}
