/**
 * The surface for a plugin that declares an engine, beside index.ts: what an engine must answer (`StoreEngine`), the rules
 * that all engines keep, and the store in a file, from which and to which a store can be moved. The threads of the
 * store load this file without the rest of the kernel.
 */
export { ConfigError, PlatformError } from './error.ts';
export { GaveUp, type BoundedWaits } from './store/bounded-waits.ts';
export { changedElsewhere } from './store/contract.ts';
// The operations of the modules by number; `OwnerLost` ends the process, and `WentBack` says that the database went back.
export { OwnerLost, stepsOf, tableOf, takeGuard, WentBack } from './store/committer.ts';
export { takeLock } from './store/sqlite/lock.ts';
export { checkMasterKey, findMasterKey, sealedCheckOf } from './store/master-key.ts';
// Errors cross the threads as plain values.
export { pack, unpack } from './store/message.ts';
export { findNode } from './store/node.ts';
export { endWork, nobodyElse } from './store/peers.ts';
export { unavailable } from './store/serving/pipeline.ts';
export { createSealer } from './store/sealer.ts';
export { checkKnown, sha256 } from './store/sql/applied.ts';
export { claimStatement, claimTexts, claimValues } from './store/sql/claim.ts';
export { columnOf } from './store/sql/column.ts';
export { openReading, openScratch, openWriting, storeFile } from './store/sqlite/database.ts';
export { openSqlite } from './store/sqlite/engine.ts';
export { readMoved, arrivedBy, arrivingDir, markOf } from './store/sqlite/moved.ts';
// Starts a thread that calls `serve` of an engine: the executable holds the code of all threads of the store once.
export { startThread } from './store/threads/thread-start.ts';
export { timestamp } from './tools/clock.ts';
export { after, every, within } from './tools/every.ts';
export { syncFile, syncFolder } from './tools/files/replace-file.ts';
export { given } from './tools/given.ts';
export { Roster } from './tools/roster.ts';
export { createSerial } from './tools/serial.ts';
export { isNewer, version } from './tools/version.ts';
export type {
  Awaitable,
  Claim,
  Connection,
  NodeIdentity,
  Operations,
  Row,
  Sealer,
  Statement,
  StoreModule,
  Taker,
  Value,
  WriteConnection,
  WriteContext,
  WriteStatement,
  Writing,
} from './store/contract.ts';
export type {
  Attendance,
  AttendOptions,
  EngineOptions,
  EngineView,
  Gathering,
  StoreEngine,
  StoreUrls,
  ViewOptions,
} from './store/engine.ts';
export type { NamedWriting, Step } from './store/committer.ts';
export type { Answer, Batch, EngineEvent, Failure, OperationTable, Skew, UpgradeStep } from './store/message.ts';
export type { EndedNode, Held, NodeView, Peers } from './store/peers.ts';
export type { Migrations } from './store/sql/applied.ts';
export type { Moved } from './store/sqlite/moved.ts';
export type { StoreAddress, StorePlace } from './store/place.ts';
