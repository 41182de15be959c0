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
/** Denial reasons for which the engine could not decide: neither a fault of the Orb nor a decision of a policy. */
export const undecidedReasons: readonly string[] = [
  'policy_unavailable',
  'policy_error',
  'policy_timeout',
  'policy_overloaded',
  'policy_integrity',
];
