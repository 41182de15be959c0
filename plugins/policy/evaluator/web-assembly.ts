/** A compiled module; it can be sent to another thread. */
export interface WasmModule {
  readonly [Symbol.toStringTag]: string;
}

/** The memory of an instance. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer;
}

/** An instance with its exports. */
interface WasmInstance {
  readonly exports: Readonly<Record<string, unknown>>;
}

interface Api {
  readonly Module: {
    new (bytes: Uint8Array): WasmModule;
    exports(module: WasmModule): readonly { readonly name: string }[];
    imports(module: WasmModule): readonly { readonly module: string; readonly name: string }[];
  };
  readonly Instance: new (module: WasmModule, imports: Readonly<Record<string, object>>) => WasmInstance;
  readonly RuntimeError: new () => Error;
  compile(bytes: Uint8Array): Promise<WasmModule>;
}

/** The runtime's WebAssembly; the types for Node do not declare it. */
export const WebAssembly: Api = (globalThis as unknown as { readonly WebAssembly: Api }).WebAssembly;
