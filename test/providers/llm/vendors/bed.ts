import { expect } from 'chai';
import type { Adapter, ProviderHandle } from '../../../../kernel/adapter.ts';
import { ProviderError } from '../../../../kernel/adapter.ts';
import { compile } from '../../../../kernel/index.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';
import { ChatAssembler, type ChatOutputs, type ChatPart } from '../../../../providers/llm/contract.ts';
import { testKey } from '../../../helpers/conformance.ts';
import type { VendorRequest } from '../../../helpers/vendor.ts';
import { startDouble, type ModelDouble, type ModelReply } from './double.ts';

/** All the tests know of one vendor of models. */
export interface ModelBed {
  readonly adapter: Adapter;
  config(url: string): object;
  readonly secret: string;
  readonly contract: (request: VendorRequest) => ModelReply;
  readonly stream: string;
  /** What the answer of the double means. */
  readonly outputs: object;
  readonly model: string;
}

/** How one call ended. */
export interface Ended {
  readonly parts: readonly ChatPart[];
  readonly outputs?: ChatOutputs;
  readonly error?: ProviderError;
}

/** Inputs that any provider of models takes. */
export const question = { messages: [{ role: 'user', content: 'Hello' }] };

/** Declares, inside a `describe`, the cleaning up after each test. */
export function createStage(bed: ModelBed): {
  double(): Promise<ModelDouble>;
  open(config: object): Promise<ProviderHandle>;
} {
  const doubles: ModelDouble[] = [];
  const handles: ProviderHandle[] = [];
  afterEach(async () => {
    for (const handle of handles.splice(0)) await handle.close?.();
    for (const double of doubles.splice(0)) await double.close();
  });
  return {
    async double() {
      const double = await startDouble(bed.contract);
      doubles.push(double);
      return double;
    },
    async open(config) {
      const filled = structuredClone(config);
      expect(compile(bed.adapter.config)(filled)).to.deep.equal([]);
      const { signal } = new AbortController();
      const scope = { config: filled as never, signal, stateDir: '/nowhere', log: silentLog };
      const handle = await bed.adapter.open(scope);
      handles.push(handle);
      return handle;
    },
  };
}

/** Makes one call, streamed or not. */
export async function call(
  handle: ProviderHandle,
  inputs: object,
  { streamed = false, signal = new AbortController().signal, taken = (_: ChatPart): unknown => undefined } = {},
): Promise<Ended> {
  const parts: ChatPart[] = [];
  const emit = async (part: object): Promise<void> => {
    parts.push(part as ChatPart);
    await taken(part as ChatPart);
  };
  const context = { signal, idempotency_key: testKey('m'), log: silentLog, ...(streamed && { emit }) };
  try {
    const outputs = await handle.execute({ ...inputs }, context);
    return { parts, outputs: outputs as ChatOutputs };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return { parts, error };
  }
}

/** Makes the outputs of the parts that a caller got. */
export function assembled(parts: readonly ChatPart[]): Omit<ChatOutputs, 'finish_reason' | 'model'> {
  const assembler = new ChatAssembler();
  for (const part of parts) assembler.add(part);
  const { finish_reason: _, model: __, ...outputs } = assembler.outputs({ model: 'm', finish_reason: 'stop' });
  return outputs;
}
