/** The types of the events that change approvals. */
export const approvalEvents = ['approval.asked', 'approval.decided', 'run.denied', 'run.cancelled'] as const;
