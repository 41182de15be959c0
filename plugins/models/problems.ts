import { defineProblems } from '../../kernel/index.ts';

/** Problems of the doors of the model gateway; each door answers them in its own form. */
export const problems = defineProblems({
  unsupported_parameter: {
    status: 400,
    title: 'The gateway does not support the parameter',
    cause: 'The parameter is part of the API of the vendor, but the gateway cannot pass it on to every provider.',
    remedy: 'Leave the parameter out.',
  },
  unknown_parameter: {
    status: 400,
    title: 'The parameter is unknown',
    cause: 'The API of the vendor has no parameter of this name.',
    remedy: 'Check the spelling; settings of one vendor go below the member vendor.',
  },
  model_not_found: {
    status: 404,
    title: 'There is no such model',
    cause: 'No provider that may serve the key offers a model under this name.',
    remedy: 'Use a model that GET /v1/models lists.',
  },
  token_count_unavailable: {
    status: 501,
    title: 'The tokens of the request cannot be counted',
    cause: 'Only a provider can count the tokens of its model, and the gateway does not guess them.',
    remedy: 'Send the request itself: its answer has the usage that the provider reported.',
  },
});
