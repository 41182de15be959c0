/**
 * Flags of V8 for the servers and platforms of tests: V8 spends more on optimising the policy compiler (40 MB of Wasm)
 * than the few builds of a test take. The executable and the soak optimise as always.
 */
export const leanWasm: readonly string[] = ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering'];

/**
 * Flags of the servers that tests start. As for the tests themselves (test/run.ts): most of what a server that starts
 * makes is garbage at once.
 */
export const serverFlags: readonly string[] = ['--min-semi-space-size=64', '--v8-pool-size=1', ...leanWasm];
