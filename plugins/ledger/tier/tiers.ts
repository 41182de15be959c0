/** Certification tiers, lowest first; the index in the list is the rank. */
export const tiers = ['none', 'bronze', 'silver', 'gold', 'platinum'] as const;

/** A certification tier. */
export type Tier = (typeof tiers)[number];
