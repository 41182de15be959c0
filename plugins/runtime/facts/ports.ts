import { attestedLog } from './attested-log.ts';
import { approvalsPort } from './held.ts';
import { runAttempts, runFailure, standing, unknownStanding, receiptCheck } from './facts.ts';
import { credential, revocations } from '../../../kernel/index.ts';
import type { Resolved } from '../../../kernel/runner.ts';

/** What other plugins provide for runs. */
export const ports = {
  attempts: runAttempts,
  failure: runFailure,
  standing,
  check: receiptCheck,
  credential,
  log: attestedLog,
  revoking: revocations,
  approvals: approvalsPort,
} as const;

/** The ports that somebody provides. */
export type Ports = Partial<Resolved<typeof ports>>;

/** Fills in for the ports that no plugin provides: they answer that they know nothing. */
export function filled(provided: Ports) {
  return {
    attempts: provided.attempts ?? (() => undefined),
    failure: provided.failure ?? (() => undefined),
    standing: provided.standing ?? (() => unknownStanding),
    check: provided.check ?? (() => false),
    credential: provided.credential ?? (() => undefined),
  };
}
