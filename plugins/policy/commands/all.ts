import type { Command } from '../../../kernel/index.ts';
import { activatePolicies, rollbackPolicies } from './change.ts';
import { checkPolicies } from './check.ts';
import { diffPolicies } from './diff.ts';
import { dryRunPolicies } from './dry-run.ts';
import { formatPolicies } from './fmt.ts';
import { testPolicies } from './test.ts';

/** All commands of policies. */
export const policyCommands: readonly Command[] = [
  checkPolicies,
  testPolicies,
  formatPolicies,
  dryRunPolicies,
  diffPolicies,
  activatePolicies,
  rollbackPolicies,
];
