import type { AccessRequest } from '../../../kernel/index.ts';
import type { LlmContext } from '../../../plugins/policy/contract.ts';
import { question } from './workbench.ts';

const llm: LlmContext = {
  ...{ door: 'openai/chat', alias: 'fast', candidates: [{ provider: 'vendor', model: 'vendor-fast' }], stream: false },
  ...{ messages: 1, input_bytes: 10, tools: [], tool_choice: 'none', images: 0, documents: 0, audio: 0 },
  response_format: 'text',
  findings: { platform_key: 0, private_key: 0, aws_key: 0, jwt: 0, card_number: 0 },
};

/** A question about a call of a model, with other members of `context.llm`, and of the question. */
export function modelCall(
  more: Partial<LlmContext>,
  { context = {}, subject = {} }: { readonly context?: object; readonly subject?: object } = {},
): AccessRequest {
  return question('execute', (envelope) => {
    Object.assign(envelope.context, { llm: { ...llm, ...more } }, context);
    Object.assign(envelope.subject, subject);
    Object.assign(envelope.resource, { id: 'llm.chat@1.0.0', namespace: 'llm', name: 'chat', capability: 'llm' });
  });
}
