/** Certification tiers, lowest first; the place in the list is the rank. */
export const tiers = ['none', 'bronze', 'silver', 'gold', 'platinum'] as const;

/** A certification tier. */
export type Tier = (typeof tiers)[number];
