import { defineProblems } from '../../kernel/index.ts';

/** Problems of policies and their revisions. */
export const problems = defineProblems({
  policy_not_found: {
    status: 404,
    title: 'There is no such policy',
    retryable: false,
    cause: 'No policy file has this name.',
    remedy: 'Check the name; `GET /policies` lists the files.',
  },
  revision_not_found: {
    status: 404,
    title: 'There is no such policy revision',
    retryable: false,
    cause: 'No revision of the policies has this id, or it was removed with its age.',
    remedy: 'Check the id; `GET /policies/-/revisions` lists them.',
  },
  decision_not_found: {
    status: 404,
    title: 'There is no such decision',
    retryable: false,
    cause: 'No decision has this id, it belongs to another tenant, or it was removed with its age.',
    remedy: 'Check the id; `GET /policies/-/decisions` lists them.',
  },
  policies_read_only: {
    status: 409,
    title: 'The policies folder is read-only',
    retryable: false,
    cause: 'The folder of the policies cannot be written by the program.',
    remedy: 'Change the files where they come from, and let the program reload them.',
  },
  policy_invalid: {
    status: 422,
    title: 'The policies have faults',
    retryable: false,
    cause: 'The policies do not compile or break a rule for policies; those in force stay.',
    remedy: 'Correct the places that `diagnostics` names, with file and line.',
  },
  policy_compiler_unavailable: {
    status: 503,
    title: 'There is no policy compiler',
    retryable: true,
    cause: 'This installation has no compiler for policies, or it cannot be started.',
    remedy: 'Operators set `ORB_POLICY_COMPILER`; the policies in force go on deciding.',
  },
});
