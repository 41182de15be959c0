export { Decisions, DecisionScreen } from './decisions.ts';
export { Drafts } from './drafts.ts';
export { Policies } from './list.ts';
export { NewPolicy, PolicyScreen } from './policy.ts';
export { Revisions } from './revisions.ts';
