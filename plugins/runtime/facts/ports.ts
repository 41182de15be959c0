import { attestedLog } from './attested-log.ts';
import { approvalsPort } from './held.ts';
import { meterPort } from './metering.ts';
import { deliveryReports } from './reports.ts';
import { storedProviders } from './stored-providers.ts';
import { tracing } from './tracing.ts';
import { runAttempts, runFailure, standing, unknownStanding, receiptCheck } from './facts.ts';
import { defineService, type Awaitable, type Principal } from '../../../kernel/index.ts';
import type { Resolved } from '../../../kernel/runner.ts';

/**
 * The port `credential`, called when a run that waited is served: finds the caller of a key as it is now, also when the
 * key has expired meanwhile unless `unexpired`; undefined: it was revoked. Without it no such run is served.
 * `used`: a session of the key asks, which is a use of the key.
 */
export type CredentialPort = (
  keyId: string,
  options?: { readonly unexpired?: boolean; readonly used?: boolean },
) => Principal | undefined;

/** The token of the port: the plugin that authenticates provides it. */
export const credential = defineService<CredentialPort>('credential');

/** The port `revocations`: tells when keys were revoked, at whatever node. */
export interface Revocations {
  /**
   * Calls back when callers may have lost their keys: their streams end then. The revocation of a key is answered after
   * that. The function that is returned ends it.
   */
  onRevoked(callback: () => void | Promise<void>): () => void;
}

/** The token of the port: the plugin that authenticates provides it. */
export const revocations = defineService<Revocations>('revocations');

/** The port `caller_names`: finds the name of a principal or of a key by its id; undefined: it is unknown. */
export type CallerNames = (by: 'principal' | 'key_id', id: string) => Awaitable<string | undefined>;

/** The token of the port: the plugin that authenticates provides it. */
export const callerNames = defineService<CallerNames>('caller_names');

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
  meter: meterPort,
  reports: deliveryReports,
  stored: storedProviders,
  names: callerNames,
  tracing,
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
    approvals: provided.approvals,
    meter: provided.meter,
    reports: provided.reports,
    names: provided.names ?? (() => undefined),
    tracing: provided.tracing ?? undefined,
  };
}
