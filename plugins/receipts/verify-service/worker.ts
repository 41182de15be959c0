import { serveThread } from '../../../kernel/index.ts';
import { verifyInput, type VerifyInput } from './input.ts';
import type { Trust } from '../verifier/trust.ts';

/** What the thread verifies, and with which keys. */
export interface VerifyJob {
  readonly input: VerifyInput;
  readonly trust: Trust;
}

serveThread(({ input, trust }: VerifyJob) => verifyInput(input, trust));
