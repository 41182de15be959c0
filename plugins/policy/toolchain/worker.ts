import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { brotliDecompressSync } from 'node:zlib';
import { WebAssembly, type WasmMemory } from '../evaluator/web-assembly.ts';
import { createWasiHost } from './wasi.ts';

interface Exports {
  readonly memory: WasmMemory;
  readonly _initialize: () => void;
  readonly alloc: (size: number) => number;
  readonly release: (pointer: number) => void;
  readonly call: (pointer: number, size: number) => bigint;
}

const { path } = workerData as { readonly path: string };
const file = readFileSync(path);
const module = new WebAssembly.Module(new Uint8Array(path.endsWith('.br') ? brotliDecompressSync(file) : file));
const host = createWasiHost(module);
const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: host.imports });
// The cast is safe: the program is ours and has these exports.
const program = instance.exports as unknown as Exports;
host.attach(program.memory);
program._initialize();

parentPort?.on('message', (request: string) => {
  try {
    parentPort?.postMessage({ answer: answerTo(request) });
  } catch (error) {
    // An exception out of Wasm leaves Go's heap inconsistent: this instance cannot be used again.
    const message = error instanceof Error ? error.message : String(error);
    parentPort?.postMessage({ trap: `${message} ${host.written().slice(0, 1500)}`.trim() });
  }
});
parentPort?.postMessage({ ready: true });

function answerTo(request: string): string {
  const bytes = Buffer.from(request, 'utf8');
  const at = program.alloc(bytes.length);
  new Uint8Array(program.memory.buffer, at, bytes.length).set(bytes);
  const packed = BigInt.asUintN(64, program.call(at, bytes.length));
  program.release(at);
  const out = Number(packed >> 32n);
  const length = Number(packed & 0xffff_ffffn);
  const answer = Buffer.from(program.memory.buffer, out, length).toString('utf8');
  program.release(out);
  return answer;
}
