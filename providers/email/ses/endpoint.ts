/** Answers where Amazon SES is reached in a region of AWS's own partition; elsewhere the address is configured. */
export function sesEndpoint(region: string): string {
  return `https://email.${region}.amazonaws.com`;
}
