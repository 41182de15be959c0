/** The fixed words of the formats. Pure, without an import: the portable verifier reads them too. */

/** `_type` of every statement (in-toto v1). */
export const statementType = 'https://in-toto.io/Statement/v1' as const;
/** Media type of the payload in the DSSE envelope. */
export const payloadType = 'application/vnd.in-toto+json';
/** Largest statement, in bytes. */
export const statementLimit = 16_384;
/** What a receipt does not claim; stands in every one. */
export const nonClaims = ['inputs_true', 'provider_honest', 'act_wise', 'clock_exact'] as const;
/** Reasons of a denial that say the engine could not decide: no fault of the Orb, no decision of a policy. */
export const undecidedReasons: readonly string[] = [
  'policy_unavailable',
  'policy_error',
  'policy_timeout',
  'policy_overloaded',
  'policy_integrity',
];
