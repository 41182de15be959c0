/** The surface for commands that read, check, copy or rewrite a store as a whole, with or without a server. */
// `ReadFailed` says nothing about the contents of a store: it is no verdict, and `StoreDamaged` is one.
export { ReadFailed, StoreDamaged, viewStore, type StoreView } from './store/view/read-only.ts';
export type { StorePlace } from './store/contract.ts';
// `tryLock`: for a file that several processes change. `takeLock`: for a state dir that no server may use.
export { takeLock, tryLock } from './store/sqlite/lock.ts';
// For a check of sealed values, which opens them as a start does.
export { checkMasterKey, readMasterKey } from './store/master-key.ts';
export { createSealer } from './store/sealer.ts';
export { freeBytes } from './tools/files.ts';
// `besideSystemd`: how a command is run in the home of a service; `serverUrl`: where the server of a home answers.
export { besideSystemd, serverUrl } from './cli/command/client.ts';
// What plugins give to these commands.
export type { PluginBackup, PluginTools } from './cli/command/command.ts';
