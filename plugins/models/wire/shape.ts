import {
  chatInputs,
  type ChatInputs,
  type ChatMessage,
  type ChatOutputs,
  type ChatPart,
} from '../../../providers/llm/contract.ts';

/** A call of a tool in a message of an assistant. */
export type ToolCall = NonNullable<ChatMessage['tool_calls']>[number];

/** How an answer names its run and the receipt. */
export interface OrbMember {
  readonly run_id: string;
  readonly receipt_id: string;
  /** Absent where it is not known. `amount_nanos`: 10⁻⁹ of a unit of the currency. */
  readonly cost?: { readonly currency: string; readonly amount_nanos: number };
  readonly opening?: object;
}

/** A request of a door, read; the schema of the Orb checks the inputs again. */
export interface ChatRequest {
  readonly inputs: ChatInputs;
  readonly stream: boolean;
}

/** Writes what a run emits in the events of a door. */
export interface StreamCodec {
  /** The events of one part; empty when the door shows nothing of it. */
  part(part: ChatPart): string;
  /** The last events: what was not emitted of the outputs, and the end. */
  end(outputs: ChatOutputs, orb: OrbMember): string;
}

/** The levels of effort of a model. */
export const efforts = chatInputs.properties.reasoning_effort.enum;

/** The levels of detail of an answer. */
export const verbosities = chatInputs.properties.verbosity.enum;

/** Leaves out a list without items, which asks for nothing. */
export function unlessEmpty<T>(items: T[] | undefined): T[] | undefined {
  return items?.length === 0 ? undefined : items;
}
