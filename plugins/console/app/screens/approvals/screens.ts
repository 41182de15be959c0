/** The screens of approvals. */
export { Approvals } from './list.ts';
export { ApprovalScreen } from './one.ts';
