import { handOver } from '../../frame/later.ts';
import { Decisions, DecisionScreen } from './decisions.ts';
import { Drafts } from './drafts.ts';
import { Policies } from './list.ts';
import { NewPolicy, PolicyScreen } from './policy.ts';
import { Revisions } from './revisions.ts';

handOver('policies', { Policies, NewPolicy, Drafts, Revisions, Decisions, PolicyScreen, DecisionScreen });
