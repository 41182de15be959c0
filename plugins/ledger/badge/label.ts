/** Most characters of a label. */
export const longestLabel = 40;

const usual = 'orb';

/**
 * Cleans a label that came with the request: what is invisible, or turns the direction of what follows, is taken out.
 * Nothing left: `orb`.
 */
export function cleanLabel(label: string | undefined): string {
  // \p{C}: controls, formats (all bidi marks), surrogates, private and unassigned; \p{Z}: spaces of any kind.
  const clean = (label ?? '')
    .replace(/\p{C}/gu, '')
    .replace(/\p{Z}+/gu, ' ')
    .trim();
  return clean === '' ? usual : clean;
}
