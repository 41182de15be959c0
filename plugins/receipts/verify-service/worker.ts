import { serveThread } from '../../../kernel/index.ts';
import { verifyInput, type VerifyInput } from './input.ts';
import type { Trust } from '../verifier/trust.ts';

/** A job of the thread: the input, and the keys to verify with. */
export interface VerifyJob {
  readonly input: VerifyInput;
  readonly trust: Trust;
}

serveThread(({ input, trust }: VerifyJob) => verifyInput(input, trust));
