import { defineProblems } from '../../kernel/index.ts';

/** Problems of approvals. */
export const problems = defineProblems({
  approval_not_found: {
    status: 404,
    title: 'There is no such approval',
    cause: 'No approval has this id, or its run asks a group to which the caller does not belong.',
    remedy: 'Check the id; the list of approvals shows those that the caller may decide.',
  },
  approval_decided: {
    status: 409,
    title: 'The approval is not open any more',
    cause: 'Somebody decided before, the caller has decided already, the time is over, or the run was cancelled.',
    remedy: 'Read the approval: its state and its decisions say what happened. Nothing was changed by this call.',
  },
  approval_differs: {
    status: 409,
    title: 'The decision is about something else',
    cause: 'The digest of the decision is not the one of the approval: what was shown is not what would be executed.',
    remedy: 'Read the approval again, look at what it binds, and send its digest with the decision.',
  },
  approval_own: {
    status: 403,
    title: 'Nobody may approve a run of their own',
    cause: 'The caller requested the run.',
    remedy: 'Ask another member of the group.',
  },
  approval_not_yours: {
    status: 403,
    title: 'The caller is not asked',
    cause: 'The principal is in none of the groups that the approval asks.',
    remedy: 'Ask a member of the groups that the approval names, or an operator to change `approvals.groups`.',
  },
  approval_link_unknown: {
    status: 404,
    title: 'There is no such link',
    cause: 'The link was copied in part, or no link like it was ever sent.',
    remedy: 'Open the link as it is in the message, or sign in to the console.',
  },
  approval_link_over: {
    status: 410,
    title: 'The link does not decide any more',
    cause: 'The link was used, the approval was decided, cancelled or has expired, or links were switched off.',
    remedy: 'Sign in to the console to see what became of the run.',
  },
  approval_from_elsewhere: {
    status: 403,
    title: 'The decision does not come from the page of the approval',
    cause: 'Another site sent the form.',
    remedy: 'Open the page of the approval at the address of this server, and decide there.',
  },
});
