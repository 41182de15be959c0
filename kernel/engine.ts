/**
 * The surface for a plugin that declares an engine, and for `operate`, which copies the file of a store: the contract
 * (`StoreEngine`), the rules of all engines, and the store in a file, in addition to index.ts. Threads of the store load it
 * without the rest of the kernel.
 */
export { ConfigError, PlatformError } from './error.ts';
export { findNode } from './store/node.ts';
export { changedElsewhere, GaveUp, type BoundedWaits } from './store/contract.ts';
// `OwnerLost` ends the process; `WentBack`: the database has lost commits of this process.
export { OwnerLost, stepsOf, tableOf, takeGuard, WentBack, type NamedWriting, type Step } from './store/committer.ts';
export { takeLock } from './store/sqlite/lock.ts';
export { checkMasterKey, findMasterKey, sealedCheckOf } from './store/master-key.ts';
// Errors cross the threads as plain values.
export { pack, unpack } from './store/message.ts';
export { endWork, nobodyElse } from './store/peers.ts';
export { unavailable } from './store/serving/pipeline.ts';
export { createSealer } from './store/sealer.ts';
export { checkKnown, sha256, type Migrations } from './store/sql/applied.ts';
export { claimStatement, claimTexts, claimValues } from './store/sql/claim.ts';
export { columnOf } from './store/sql/column.ts';
export { openReading, openScratch, openWriting, storeFile } from './store/sqlite/database.ts';
export { openSqlite } from './store/sqlite/engine.ts';
export { arrivedBy, arrivingDir, markOf, readMoved, type Moved } from './store/sqlite/moved.ts';
// Starts a thread that calls `serve` of an engine: the executable holds the code of all threads of the store once.
export { startThread } from './store/threads/thread-start.ts';
export { timestamp } from './tools/clock.ts';
export { after, every, within } from './tools/every.ts';
export { syncFile, syncFolder } from './tools/files.ts';
export { given } from './tools/given.ts';
export { Roster } from './tools/roster.ts';
export { createSerial } from './tools/serial.ts';
export { version } from './tools/version.ts';
// The types of the contracts, all of them.
export type * from './store/contract.ts';
export type * from './store/engine.ts';
export type * from './store/message.ts';
export type * from './store/peers.ts';
