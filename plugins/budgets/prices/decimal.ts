/** How many decimals a price may have; amounts are whole numbers of this unit until they are rounded, once. */
export const decimals = 12;

/** Pattern of a price: a decimal number as a text, so that no reader makes a floating-point number of it. */
export const pricePattern = `^(0|[1-9][0-9]{0,8})(\\.[0-9]{1,${decimals}})?$`;

/** Reads a price as a whole number of 10⁻¹². The schema of the price file has checked its form. */
export function unitsOf(price: string): bigint {
  const [whole = '', fraction = ''] = price.split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

/** Divides two whole numbers that are not negative, and rounds a half to the even neighbour. */
export function halfEven(dividend: bigint, divisor: bigint): bigint {
  const [quotient, rest] = [dividend / divisor, (dividend % divisor) * 2n];
  const up = rest > divisor || (rest === divisor && quotient % 2n === 1n);
  return up ? quotient + 1n : quotient;
}

/** Divides two whole numbers that are not negative, and rounds up. */
export function roundedUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

/**
 * Writes a number of a JSON text (`1.5e-07`), times a power of ten, as a price; undefined when it is negative, too large, or
 * has more decimals than a price may have. The digits stay exact: the number is never a floating-point number.
 */
export function priceOf(number: string, power: number): string | undefined {
  const [, whole = '', fraction = '', exponent = '0'] = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/.exec(number) ?? [];
  if (whole === '') return undefined;
  const places = fraction.length - Number(exponent) - power;
  const digits = whole + fraction + '0'.repeat(Math.max(0, -places));
  const shifted = digits.padStart(places + 1, '0');
  const at = shifted.length - Math.max(0, places);
  const integer = shifted.slice(0, at).replace(/^0+(?=\d)/, '');
  const rest = shifted.slice(at).replace(/0+$/, '');
  const price = rest === '' ? integer : `${integer}.${rest}`;
  return new RegExp(pricePattern).test(price) ? price : undefined;
}
