import { WebAssembly, type WasmMemory, type WasmModule } from '../evaluator/web-assembly.ts';

const success = 0;
const badDescriptor = 8; // EBADF: ends the search for preopened folders in Go's start-up.
const notSupported = 52;
const longestText = 16_384;

type WasiCall = (...args: never[]) => number;

/**
 * Creates a minimal WASI host for one program, which may write to standard output and error, read the clock and draw
 * random bytes. Every other call returns ENOSYS, so the program can reach no file and no network. The imports of
 * `module` are the calls that it must answer.
 */
export function createWasiHost(module: WasmModule) {
  let memory: WasmMemory | undefined;
  let text = '';
  const view = (): DataView => {
    if (memory === undefined) throw new Error('the WASI host has no memory yet');
    return new DataView(memory.buffer);
  };
  const write = (bytes: Uint8Array): void => {
    text = (text + Buffer.from(bytes).toString('utf8')).slice(-longestText);
  };
  const known = calls(view, write);
  const imports: Record<string, WasiCall> = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module))
    if (from === 'wasi_snapshot_preview1') imports[name] = known[name] ?? (() => notSupported);
  return {
    imports,
    /** Gives the host the instance's memory; must run before any call. */
    attach: (given: WasmMemory) => void (memory = given),
    /** Returns the end of the program's standard output and error. */
    written: () => text,
  };
}

function calls(view: () => DataView, write: (bytes: Uint8Array) => void): Readonly<Record<string, WasiCall>> {
  const noneOf = (countAt: number, sizeAt: number): number => {
    view().setUint32(countAt, 0, true);
    view().setUint32(sizeAt, 0, true);
    return success;
  };
  return {
    args_sizes_get: noneOf,
    environ_sizes_get: noneOf,
    args_get: () => success,
    environ_get: () => success,
    sched_yield: () => success,
    fd_prestat_get: () => badDescriptor,
    fd_fdstat_set_flags: () => success,
    clock_time_get(_id: number, _precision: bigint, at: number) {
      view().setBigUint64(at, BigInt(Date.now()) * 1_000_000n, true);
      return success;
    },
    random_get(at: number, length: number) {
      crypto.getRandomValues(new Uint8Array(view().buffer as ArrayBuffer, at, length));
      return success;
    },
    fd_fdstat_get(_descriptor: number, at: number) {
      new Uint8Array(view().buffer, at, 24).fill(0);
      view().setUint8(at, 2); // a character device
      return success;
    },
    fd_write(_descriptor: number, vectors: number, count: number, writtenAt: number) {
      let total = 0;
      for (let index = 0; index < count; index += 1) {
        const at = view().getUint32(vectors + index * 8, true);
        const length = view().getUint32(vectors + index * 8 + 4, true);
        write(new Uint8Array(view().buffer, at, length));
        total += length;
      }
      view().setUint32(writtenAt, total, true);
      return success;
    },
    poll_oneoff: (subscriptions: number, events: number, count: number, happenedAt: number) =>
      sleep(view(), { subscriptions, events, count, happenedAt }),
    proc_exit(code: number) {
      throw new Error(`the compiler exited with code ${code}`);
    },
  };
}

interface Poll {
  readonly subscriptions: number;
  readonly events: number;
  readonly count: number;
  readonly happenedAt: number;
}

const clockTag = 0;

// Go's scheduler sleeps with poll_oneoff: the thread waits for the earliest clock, then reports every clock as due.
function sleep(view: DataView, { subscriptions, events, count, happenedAt }: Poll): number {
  let nearest = Infinity;
  let happened = 0;
  for (let index = 0; index < count; index += 1) {
    const from = subscriptions + index * 48;
    const tag = view.getUint8(from + 8);
    if (tag === clockTag) nearest = Math.min(nearest, Number(view.getBigUint64(from + 24, true)) / 1e6);
    const to = events + happened * 32;
    view.setBigUint64(to, view.getBigUint64(from, true), true);
    view.setUint16(to + 8, tag === clockTag ? success : notSupported, true);
    view.setUint8(to + 10, tag);
    happened += 1;
  }
  if (nearest > 0 && nearest !== Infinity) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, nearest);
  view.setUint32(happenedAt, happened, true);
  return success;
}
