/** The constants of the formats. Pure, without imports: the portable verifier uses them too. */

/** `_type` of every statement (in-toto v1). */
export const statementType = 'https://in-toto.io/Statement/v1' as const;
/** Media type of the payload in the DSSE envelope. */
export const payloadType = 'application/vnd.in-toto+json';
/** Media type of a manifest of files that a receipt key signs in a DSSE envelope. */
export const manifestType = 'application/vnd.agent-orb.manifest+json';
/** Largest statement, in bytes. */
export const statementLimit = 16_384;
/** What a receipt does not claim; part of every receipt. */
export const nonClaims = ['inputs_true', 'provider_honest', 'act_wise', 'clock_exact'] as const;
/** The last characters of the id of an installation whose facts are all simulated. */
export const demonstrationMark = 'DEM0DEM0DEM0DEM0';
/** Says in a sentence that a receipt is one of a demonstration; undefined: it is not. */
export function demonstrationNote({ installation }: { readonly installation: string }): string | undefined {
  if (!installation.endsWith(demonstrationMark)) return undefined;
  return 'This receipt is from a demonstration: nothing that it says has happened.';
}
/** Denial reasons for which the engine could not decide: neither a fault of the Orb nor a decision of a policy. */
export const undecidedReasons: readonly string[] = [
  'policy_unavailable',
  'policy_error',
  'policy_timeout',
  'policy_overloaded',
  'policy_integrity',
];
