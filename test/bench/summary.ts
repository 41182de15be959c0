/** The mean of ratios, with its standard error. */
export function meanOf(ratios: readonly number[]): string {
  const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
  const variance = ratios.reduce((sum, ratio) => sum + (ratio - mean) ** 2, 0) / Math.max(1, ratios.length - 1);
  return `${mean.toFixed(3)} ± ${Math.sqrt(variance / ratios.length).toFixed(3)}`;
}
