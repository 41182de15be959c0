import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { createIds } from '../tools/id.ts';
import { whenKnown } from './awaitable.ts';
import type { Awaitable, WriterScope } from './contract.ts';
import { OwnerLost } from './engine.ts';
import { Committer } from './sqlite/committer.ts';
import { openWriting, storeFile, type Database } from './sqlite/database.ts';
import { openIdentity, type Identity } from './sqlite/head.ts';
import {
  pack,
  withoutForeign,
  type Answer,
  type Batch,
  type FromWriter,
  type ToWriter,
  type UpgradeStep,
  type WriterData,
} from './message.ts';
import { migrate } from './sqlite/migration.ts';
import { upgrade } from './sqlite/upgrade.ts';
import { loadModules } from './modules.ts';
import { sealerOf } from './sealer.ts';

const logLimitBytes = 64 * 1024 * 1024;
// Reading the size of the log costs a system call, so not every batch does it.
const batchesPerLook = 64;

/** The writer thread: opens the store, answers `ready`, then commits one batch per message until told to close. */
async function main(port: MessagePort, data: WriterData): Promise<void> {
  const say = (message: FromWriter): void => port.postMessage(message);
  let now = data.at;
  let database: Database | undefined;
  try {
    const modules = await loadModules(data.modules, data.list);
    const opened = openWriting(join(data.stateDir, storeFile));
    database = opened;
    const ids = createIds({ now: () => now, monotonic: () => performance.now() });
    const identity = openIdentity(opened, {
      ...{ masterKey: data.masterKey, now, newInstallation: () => ids('ins') },
      migrate: (kernel) => migrate(opened, kernel, now),
    });
    const tell = (step: UpgradeStep): void => say({ kind: 'upgrading', ...step });
    upgrade(database, modules, { stateDir: data.stateDir, now, tell });
    const scope = writerScope(data, database, identity, {
      now: () => now,
      // An id without its prefix is a bare ULID.
      ulid: () => ids('ins').slice('ins_'.length),
    });
    const committer = new Committer(
      database,
      identity.head,
      modules.map((module) => ({
        ...{ name: module.name, claims: module.claims },
        writing: module.write({ ...scope, sealer: sealerOf(scope.sealer, module) }),
      })),
    );
    const commit = (batch: Batch): Awaitable<Answer> => {
      now = batch.at;
      return committer.commit(batch);
    };
    const serve = server(port, database, { commit });
    port.on('message', (message: ToWriter) => {
      if (message.kind !== 'open') serve(message);
    });
    say({ kind: 'ready', installation: identity.installation, operations: committer.operations });
  } catch (error) {
    database?.close();
    say({ kind: 'refused', reason: 'the store cannot be opened', failure: pack(error) });
  }
}

function writerScope(
  { stateDir, version, node }: WriterData,
  connection: Database,
  { installation, sealer }: Identity,
  time: Pick<WriterScope, 'now' | 'ulid'>,
): WriterScope {
  return Object.freeze({
    connection: { prepare: (sql: string) => connection.prepare(sql) },
    sealer,
    installation,
    stateDir,
    version,
    node,
    ...time,
  });
}

type Work = Exclude<ToWriter, { readonly kind: 'open' }>;

function server(port: MessagePort, database: Database, committer: Pick<Committer, 'commit'>): (message: Work) => void {
  let batches = 0;
  const commit = (batch: Batch): Awaitable<void> =>
    whenKnown(committer.commit(batch), (answer) => {
      try {
        port.postMessage(answer);
      } catch {
        port.postMessage(withoutForeign(answer, batch.sizes));
      }
      if (++batches % batchesPerLook === 0 && database.logBytes() > logLimitBytes) database.truncateLog();
    });
  const close = (): void => {
    database.truncateLog();
    database.close();
    port.postMessage({ kind: 'closed', reason: 'closed' } satisfies FromWriter);
  };
  const lose = (error: unknown): void => {
    const reason = error instanceof OwnerLost ? error.message : 'the committed state cannot be read';
    database.close();
    port.postMessage({ kind: 'lost', reason, failure: pack(error) } satisfies FromWriter);
  };
  return inTurn((message) => (message.kind === 'batch' ? commit(message) : close()), lose);
}

/** Works on one message after the other; nothing more once one has failed. */
function inTurn(work: (message: Work) => Awaitable<void>, lose: (error: unknown) => void): (message: Work) => void {
  const waiting: Work[] = [];
  let busy = false;
  const next = (): void => {
    busy = true;
    for (let message = waiting.shift(); message !== undefined; message = waiting.shift()) {
      const going = work(message);
      if (going instanceof Promise) return void going.then(next).catch(lose);
    }
    busy = false;
  };
  return (message) => {
    waiting.push(message);
    if (busy) return;
    try {
      next();
    } catch (error) {
      lose(error);
    }
  };
}

/** Serves as the writer thread of a store: opens it when told to, then commits one batch per message. */
export function serveWriter(port: MessagePort): void {
  port.on('message', (message: ToWriter) => {
    if (message.kind === 'open') void main(port, message.data);
  });
}
