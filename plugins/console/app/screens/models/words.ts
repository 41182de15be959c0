import { dollars } from '../../../../terminal/money.ts';

/** Writes a number with marks between thousands. */
export const figure = (count: number): string => count.toLocaleString('en');

/** Writes tokens, or nano-dollars as dollars. */
export const counted = (count: number, unit: 'tokens' | 'nanos'): string =>
  unit === 'tokens' ? `${figure(count)} tokens` : dollars(count);
