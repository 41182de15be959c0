import * as package_ from '@open-policy-agent/opa-wasm';
import { compilerBuiltins, ownBuiltins } from '../builtins/all.ts';
import { BuiltinFault } from '../builtins/builtin.ts';
import type { Frozen } from '../builtins/time.ts';
import type { WasmModule } from './web-assembly.ts';
import type { Asked, Evaluated } from './question.ts';
import { evaluateWithheld, isWithheldRead, type Loaded } from './withheld-inputs.ts';

/** Evaluates one compiled revision; synchronous, not re-entrant. */
export type Evaluator = ReturnType<typeof evaluatorOf>;

// The package's types declare neither its default export nor that it accepts a compiled module.
const { default: opa } = package_ as unknown as {
  readonly default: {
    loadPolicySync(module: WasmModule, memory: object, builtins: Readonly<Record<string, unknown>>): Loaded;
  };
};

// Wasm pages of 64 KiB: at most 32 MiB, because no sensible policy needs more.
const memory = { initial: 5, maximum: 512 };

/** Makes an evaluator of a module; `data`: JSON text of the revision's data document. */
export function evaluatorOf({ module, data }: { readonly module: WasmModule; readonly data: string }) {
  const frozen: Frozen = { time_ns: '0' };
  const builtins = guarded(frozen);
  const load = () => {
    const policy = opa.loadPolicySync(module, memory, builtins);
    policy.setData(bytesOf(data));
    return policy;
  };
  let policy = load();
  return {
    /** Evaluates an entrypoint. Never throws. */
    evaluate({ entrypoint, input, time_ns, withheld }: Omit<Asked, 'revision'>): Evaluated {
      try {
        frozen.time_ns = time_ns;
        const bytes = input === undefined ? undefined : bytesOf(input);
        if (bytes !== undefined && withheld !== undefined)
          return { answer: evaluateWithheld(policy, bytes, entrypoint, withheld) };
        return { answer: policy.evaluate(bytes, entrypoint) };
      } catch (error) {
        // An exception thrown through Wasm leaves its heap in an unknown state: the next question gets a new instance.
        policy = load();
        if (error instanceof BuiltinFault) return { fault: 'policy_builtin_error', detail: error.message };
        if (withheld !== undefined && isWithheldRead(error))
          return { fault: 'policy_error', detail: 'the evaluation reads what is withheld', needs_withheld: true };
        return { fault: 'policy_error', detail: textOf(error) };
      }
    },
  };
}

// A builtin that returns undefined counts as a bad argument, so that no policy sees undefined.
function guarded(frozen: Frozen): Readonly<Record<string, (...args: readonly unknown[]) => unknown>> {
  return Object.fromEntries(
    Object.entries({ ...ownBuiltins(frozen), ...compilerBuiltins }).map(([name, builtin]) => [
      name,
      (...args: readonly unknown[]) => {
        const result = builtin(...args);
        if (result === undefined) throw new BuiltinFault(name, 'there is no answer');
        return result;
      },
    ]),
  );
}

function bytesOf(text: string): ArrayBuffer {
  const { buffer, byteOffset, byteLength } = new TextEncoder().encode(text);
  return byteOffset === 0 && byteLength === buffer.byteLength
    ? buffer
    : buffer.slice(byteOffset, byteOffset + byteLength);
}

// The package throws errors of Wasm as strings and plain objects, which name a rule or a builtin. A JavaScript error
// may quote an argument, and so the inputs: only its name is returned.
function textOf(error: unknown): string {
  if (error instanceof Error) return `the evaluation failed (${error.name})`;
  if (typeof error === 'string') return error;
  if (typeof error === 'object' && error !== null && 'message' in error) return String(error.message);
  return 'the evaluator failed';
}
