import { WebAssembly, type WasmMemory } from './web-assembly.ts';

/** A loaded policy of the evaluator's package, with the members that an evaluation by hand needs. */
export interface Loaded {
  readonly mem: WasmMemory;
  readonly wasmInstance: { readonly exports: Abi };
  readonly dataAddr: number;
  readonly dataHeapPtr: number;
  readonly entrypoints: Readonly<Record<string, number>>;
  setData(data: ArrayBuffer): void;
  evaluate(input: ArrayBuffer | undefined, entrypoint: string | number): unknown;
}

type Address = number;

/** The functions of OPA's Wasm ABI that are used here. */
interface Abi {
  opa_heap_ptr_set(address: Address): void;
  opa_malloc(size: number): Address;
  opa_json_parse(address: Address, size: number): Address;
  opa_json_dump(value: Address): Address;
  opa_value_add_path(base: Address, path: Address, value: Address): number;
  opa_eval_ctx_new(): Address;
  opa_eval_ctx_set_input(context: Address, value: Address): void;
  opa_eval_ctx_set_data(context: Address, value: Address): void;
  opa_eval_ctx_set_entrypoint(context: Address, entrypoint: number): void;
  opa_eval_ctx_get_result(context: Address): Address;
  eval(context: Address): void;
}

// Far behind the largest memory of an instance, and no null pointer, which would mean that the value is undefined.
const nowhere = 0xffff_fff0 | 0;

/**
 * Evaluates an entrypoint with an input whose values at some paths are withheld: they have an address outside the
 * memory, so that the first instruction that reads one traps. An evaluation that ends did not depend on them, so its
 * result is the same for any values. `isWithheldRead` recognizes the error that it throws then.
 */
export function evaluateWithheld(
  policy: Loaded,
  input: ArrayBuffer,
  entrypoint: string | number,
  paths: readonly (readonly string[])[],
): unknown {
  const { exports: abi } = policy.wasmInstance;
  const put = (bytes: Uint8Array): Address => {
    const at = abi.opa_malloc(bytes.length);
    new Uint8Array(policy.mem.buffer).set(bytes, at);
    const value = abi.opa_json_parse(at, bytes.length);
    if (value === 0) throw new Error('the input is not JSON');
    return value;
  };
  abi.opa_heap_ptr_set(policy.dataHeapPtr);
  const value = put(new Uint8Array(input));
  for (const path of paths) {
    const at = put(new TextEncoder().encode(JSON.stringify(path)));
    if (abi.opa_value_add_path(value, at, nowhere) !== 0) throw new Error('the input has no such path');
  }
  const number = typeof entrypoint === 'number' ? entrypoint : policy.entrypoints[entrypoint];
  if (number === undefined) throw new Error('there is no such entrypoint');
  const context = abi.opa_eval_ctx_new();
  abi.opa_eval_ctx_set_input(context, value);
  abi.opa_eval_ctx_set_data(context, policy.dataAddr);
  abi.opa_eval_ctx_set_entrypoint(context, number);
  abi.eval(context);
  return jsonAt(policy.mem, abi.opa_json_dump(abi.opa_eval_ctx_get_result(context)));
}

/** Says whether an evaluation ended because it looked at the withheld value. */
export function isWithheldRead(error: unknown): boolean {
  return error instanceof WebAssembly.RuntimeError;
}

function jsonAt({ buffer }: WasmMemory, address: Address): unknown {
  const bytes = new Uint8Array(buffer);
  return JSON.parse(new TextDecoder().decode(bytes.subarray(address, bytes.indexOf(0, address))));
}
