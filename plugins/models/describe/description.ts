import { given } from '../../../kernel/index.ts';
import type { MostUseOf } from '../../budgets/contract.ts';
import type { LlmContext } from '../../policy/contract.ts';
import type { CallDescription, DescribedCall } from '../../runtime/contract.ts';
import { candidatesFor } from '../../../providers/llm/contract.ts';
import { sizesOf } from './sizes.ts';

/** Longer texts of prompts are not shown to policies, bytes. */
const longestText = 4096;

/** Makes what tells policies of calls of models; without the plugin `budgets` nothing computes the most that one can use. */
export function llmDescription(mostUseOf: MostUseOf | undefined): CallDescription {
  return {
    concerns: ({ manifest }) => manifest.capability === 'llm',
    longestText,
    describe: (call) => {
      // To count tokens uses none.
      const uses = 'prompt' in call.inputs ? undefined : mostUseOf;
      return { llm: { ...contextOf(call), ...given({ ask: uses?.(call.inputs, call.candidates) }) } };
    },
  };
}

type Json = Readonly<Record<string, unknown>>;

// The schema of a shipped Orb has checked the inputs; those of an Orb of an operator may have other members.
function contextOf({ inputs: told, candidates, channel, streams }: DescribedCall): LlmContext {
  const inputs = { ...told, ...promptOf(told) };
  const { model, tools, tool_choice, max_output_tokens, reasoning_effort, response_format } = inputs;
  const alias = textOr(model, '-');
  const names = listOf(tools).map((tool) => textOr(memberOf(tool, 'name'), '-'));
  return {
    door: channel?.kind === 'models' ? (channel.protocol ?? 'models') : 'execute',
    alias,
    candidates: candidatesFor(alias, candidates).map((one) => ({ provider: one.provider, model: one.model })),
    stream: streams,
    ...sizesOf(inputs),
    tools: names,
    tool_choice: choiceOf(tool_choice, names),
    ...given({
      max_output_tokens: typeof max_output_tokens === 'number' ? max_output_tokens : undefined,
      reasoning_effort: typeof reasoning_effort === 'string' ? reasoning_effort : undefined,
    }),
    response_format: textOr(memberOf(response_format, 'type'), 'text'),
  };
}

function choiceOf(choice: unknown, tools: readonly string[]): string {
  if (typeof choice === 'string') return choice;
  const name = memberOf(choice, 'name');
  if (typeof name === 'string') return `tool:${name}`;
  return tools.length === 0 ? 'none' : 'auto';
}

// A call that counts tokens has its conversation there.
function promptOf({ prompt }: Json): Json {
  return typeof prompt === 'object' && prompt !== null ? (prompt as Json) : {};
}

const textOr = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Json)[name] : undefined;
