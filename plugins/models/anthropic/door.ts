import { reply, type Reply, type Route } from '../../../kernel/index.ts';
import { chatOrb, countOrb, type Asking, type ModelsScope } from '../scope.ts';
import { routesOf } from '../serve/routes.ts';
import type { RunNotes } from '../serve/door-run.ts';
import { orbMember, runHeaders, runOf } from '../serve/run.ts';
import { streamed } from '../serve/stream.ts';
import { Member } from '../wire/member.ts';
import type { ChatOutputs } from '../../../providers/llm/contract.ts';
import { messageAnswer } from './answer.ts';
import { count } from './count.ts';
import { errorEvent, errorSchema, presentError } from './error.ts';
import { messagesRequest } from './request.ts';
import { countBody, countSchema, messagesBody, messageSchema } from './schema.ts';
import { MessageStream, ping } from './stream.ts';

/** How the doors of the Anthropic API answer failures. */
export const anthropicForm = { schema: errorSchema, present: presentError };

/** Makes the routes of the Anthropic API. */
export const anthropicRoutes = (scope: ModelsScope): readonly Route[] => [
  ...routesOf({
    path: '/messages',
    operationId: 'createMessage',
    summary: 'Ask a model, as by the Anthropic API',
    ...{ orb_id: chatOrb, body: messagesBody, response: messageSchema, streams: true, form: anthropicForm },
    handle: (asking, orbisetId) => message(asking, orbisetId, scope),
  }),
  ...routesOf({
    path: '/messages/count_tokens',
    operationId: 'countTokens',
    summary: 'Count the tokens of a conversation, as by the Anthropic API',
    ...{ orb_id: countOrb, body: countBody, response: countSchema, form: anthropicForm },
    problems: ['token_count_unavailable'],
    handle: (asking, orbisetId) => count(asking, orbisetId, scope),
  }),
];

async function message(asking: Asking, orbiset_id: string, scope: ModelsScope): Promise<Reply> {
  const { inputs, stream } = messagesRequest(new Member(asking.body));
  const run = { door: 'anthropic/messages', orbiset_id, orb_id: chatOrb, inputs, asking };
  const idOf = (runId: string): string => runId.replace('run_', 'msg_');
  if (stream) {
    const codec = (runId: string) => new MessageStream({ id: idOf(runId), model: inputs.model });
    return streamed(run, { keepalive: ping, codec, failure: errorEvent }, scope);
  }
  const notes: RunNotes = {};
  const result = await runOf(run, notes, scope);
  // The outputs fit the schema of the Orb.
  const body = messageAnswer(result.outputs as unknown as ChatOutputs, idOf(result.run_id), orbMember(result, notes));
  return reply({ headers: runHeaders(asking, notes), body });
}
