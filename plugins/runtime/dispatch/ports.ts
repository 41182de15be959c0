import { credential, type CredentialPort } from '../../../kernel/access.ts';
import { receiptCheck, type ReceiptCheck } from '../journal/answer.ts';
import {
  runAttempts,
  runFailure,
  standing,
  unknownStanding,
  type AttemptsPort,
  type FailurePort,
  type StandingPort,
} from '../run.ts';

/** Finds what plugins provide for runs; a port that no plugin provides answers that it knows nothing. */
export function portsOf({ service }: { readonly service: (name: string) => unknown }) {
  // A plugin that provides a port promised its type by the kernel's own token.
  return {
    attempts: (service(runAttempts.name) as AttemptsPort | undefined) ?? (() => undefined),
    failure: (service(runFailure.name) as FailurePort | undefined) ?? (() => undefined),
    standing: (service(standing.name) as StandingPort | undefined) ?? (() => unknownStanding),
    check: (service(receiptCheck.name) as ReceiptCheck | undefined) ?? (() => false),
    credential: (service(credential.name) as CredentialPort | undefined) ?? (() => undefined),
  };
}
