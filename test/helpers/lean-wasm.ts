/**
 * Flags of V8 for the servers and platforms of tests: V8 spends more on optimising the policy compiler (40 MB of Wasm)
 * than the few builds of a test take. The executable and the soak optimise as always.
 */
export const leanWasm: readonly string[] = ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering'];
