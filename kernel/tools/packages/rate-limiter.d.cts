/** Counts points per key in memory, with a time after which they count no more. */
export { RateLimiterMemory } from 'rate-limiter-flexible';
