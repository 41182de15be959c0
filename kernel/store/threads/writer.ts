import type { MessagePort } from 'node:worker_threads';
import { createIds } from '../../tools/id.ts';
import { within } from '../../tools/every.ts';
import { whenKnown } from '../awaitable.ts';
import type { Awaitable, Operations, StoreModule, WriterScope } from '../contract.ts';
import { OwnerLost, WentBack } from '../committer.ts';
import { loadEngine, type EngineOptions, type OpenEngine, type Serving } from '../engine.ts';
import {
  pack,
  withoutForeign,
  type Answer,
  type Batch,
  type FromWriter,
  type ToWriter,
  type WriterData,
} from '../message.ts';
import { loadList, loadModules } from './modules.ts';
import { sealerOf } from '../sealer.ts';
import { openSqlite } from '../sqlite/engine.ts';

/** The writer thread: opens the store, answers `ready`, then commits one batch per message until told to close. */
async function main(port: MessagePort, data: WriterData): Promise<void> {
  const say = (message: FromWriter): void => port.postMessage(message);
  let now = data.at;
  let engine: OpenEngine | undefined;
  try {
    const modules = await loadModules(data.modules, data.list);
    const ids = createIds({ now: () => now, monotonic: () => performance.now() });
    const lost = new AbortController();
    const onLost = (reason: OwnerLost): void => lost.abort(reason);
    const onTime = (ms: number): void => void (now = ms);
    const newInstallation = (): string => data.installation ?? ids('ins');
    engine = await openEngine(data, modules, { say, onLost, onTime, newInstallation });
    const scope = writerScope(data, engine, {
      now: () => now,
      // An id without its prefix is a bare ULID.
      ulid: () => ids('ins').slice('ins_'.length),
    });
    const serving = await engine.serve(
      modules.map((module) => ({
        ...{ name: module.name, claims: module.claims },
        writing: module.write({ ...scope, sealer: sealerOf(scope.sealer, module) }),
      })),
    );
    const commit = (batch: Batch): Awaitable<Answer> => {
      now = batch.at;
      return serving.commit(batch);
    };
    const hear = (message: ToWriter): void => {
      if (message.kind !== 'open') serve(message);
    };
    const end = (): void => {
      port.off('message', hear);
      serving.end?.();
    };
    const serve = server(port, engine, { ...serving, commit, end }, lost.signal);
    port.on('message', hear);
    say({ kind: 'ready', installation: engine.installation, operations: serving.operations });
  } catch (error) {
    await engine?.close();
    say({ kind: 'refused', reason: 'the store cannot be opened', failure: pack(error) });
  }
}

type Called = Pick<EngineOptions, 'say' | 'onLost' | 'onTime' | 'newInstallation'>;

async function openEngine(
  { address, at, masterKey, node, place, shares, stateDir, version }: WriterData,
  modules: readonly StoreModule<Operations>[],
  called: Called,
): Promise<OpenEngine> {
  const options = { masterKey, modules, now: at, stateDir, ...called };
  if (address === undefined)
    return openSqlite({ ...options, tell: (step) => called.say({ kind: 'upgrading', ...step }) });
  return (await loadEngine(address)).open({ ...options, address, node, place, shares, version });
}

function writerScope(
  { stateDir, version, node, shared }: WriterData,
  { connection, installation, sealer }: OpenEngine,
  time: Pick<WriterScope, 'now' | 'ulid'>,
): WriterScope {
  return Object.freeze({ connection, sealer, installation, stateDir, version, node, shared, ...time });
}

// Report the loss soon: this process must not continue.
const lastMs = 500;

type Work = Exclude<ToWriter, { readonly kind: 'open' }>;

function server(port: MessagePort, engine: OpenEngine, serving: Serving, lost: AbortSignal): (message: Work) => void {
  const commit = (batch: Batch): Awaitable<void> =>
    whenKnown(serving.commit(batch), (answer) => {
      try {
        port.postMessage(answer);
      } catch {
        port.postMessage(withoutForeign(answer, batch.sizes));
      }
      serving.tidy?.();
    });
  const close = (): Awaitable<void> => {
    serving.finish?.();
    return whenKnown(engine.close(), () => port.postMessage({ kind: 'closed', reason: 'closed' } satisfies FromWriter));
  };
  let isLost = false;
  const lose = (error: unknown): void => {
    if (isLost) return;
    isLost = true;
    if (error instanceof WentBack) serving.wentBack?.();
    const reason = error instanceof OwnerLost ? error.message : 'the committed state cannot be read';
    const say = (): void => port.postMessage({ kind: 'lost', reason, failure: pack(error) } satisfies FromWriter);
    const closing = engine.close();
    void whenKnown(closing instanceof Promise ? within(lastMs, closing, () => undefined) : closing, say);
  };
  const gone = (): void => lose(lost.reason);
  if (lost.aborted) gone();
  else lost.addEventListener('abort', gone);
  const serve = inTurn((message) => (message.kind === 'batch' ? commit(message) : close()), lose);
  return (message) => {
    if (message.kind === 'close') serving.end?.();
    serve(message);
  };
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

/** Serves as the writer thread of a store: loads the `list`, opens the store when told to, then commits batches. */
export function serveWriter(port: MessagePort, list: string | undefined): void {
  // Opening the store reports what is wrong with it.
  loadList(list).catch(() => undefined);
  port.on('message', (message: ToWriter) => {
    if (message.kind === 'open') void main(port, message.data);
  });
}
