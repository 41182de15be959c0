/** Writes nano-dollars in dollars, with as many decimals as the amount has, and at least two. */
export function dollars(nanos: number): string {
  const digits = String(nanos).padStart(10, '0');
  return `$${digits.slice(0, -9)}.${digits.slice(-9).replace(/0{1,7}$/, '')}`;
}
