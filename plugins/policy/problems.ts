import { defineProblems } from '../../kernel/index.ts';

/** Problems of policies and their revisions. */
export const problems = defineProblems({
  policy_not_found: {
    status: 404,
    title: 'There is no such policy',
    cause: 'No policy file has this name.',
    remedy: 'Check the name; `GET /policies` lists the files.',
  },
  revision_not_found: {
    status: 404,
    title: 'There is no such policy revision',
    cause: 'No policy revision has this id, or it was deleted after its retention time.',
    remedy: 'Check the id; `GET /policies/-/revisions` lists them.',
  },
  decision_not_found: {
    status: 404,
    title: 'There is no such decision',
    cause: 'No decision has this id, it belongs to another tenant, or it was deleted after its retention time.',
    remedy: 'Check the id; `GET /policies/-/decisions` lists them.',
  },
  policies_read_only: {
    status: 409,
    title: 'The policies folder is read-only',
    cause: 'The server has no write permission for the policies folder.',
    remedy: 'Change the files at their source; the server reloads them automatically.',
  },
  policy_invalid: {
    status: 422,
    title: 'The policies are invalid',
    cause: 'The policies do not compile or break a rule for policies. The active policies stay in effect.',
    remedy: 'Correct the files and lines that `diagnostics` names.',
  },
  policy_compiler_unavailable: {
    status: 503,
    title: 'The policy compiler is not available',
    retryable: true,
    cause: 'This installation has no policy compiler, or it cannot be started.',
    remedy: 'Operators set `ORB_POLICY_COMPILER`. The active policies stay in effect.',
  },
});
