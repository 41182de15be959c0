import { reply, type Reply, type Route } from '../../../kernel/index.ts';
import { chatOrb, embedOrb, type Asking, type ModelsScope } from '../scope.ts';
import { routesOf } from '../serve/routes.ts';
import type { RunNotes } from '../serve/door-run.ts';
import { orbMember, runHeaders, runOf } from '../serve/run.ts';
import { streamed } from '../serve/stream.ts';
import { Member } from '../wire/member.ts';
import type { ChatOutputs, EmbedOutputs } from '../../../providers/llm/contract.ts';
import { completionAnswer } from './answer.ts';
import { embeddingAnswer, embeddingRequest } from './embeddings.ts';
import { errorEvent, errorSchema, presentError } from './error.ts';
import { completionRequest } from './request.ts';
import { completionBody, completionSchema, embeddingBody, embeddingSchema } from './schema.ts';
import { ChunkStream, chunkKeepalive } from './stream.ts';

/** How the doors of the OpenAI API answer failures. */
export const openAiForm = { schema: errorSchema, present: presentError };

/** Makes the routes of the OpenAI API. */
export const openAiRoutes = (scope: ModelsScope): readonly Route[] => [
  ...routesOf({
    path: '/chat/completions',
    operationId: 'createChatCompletion',
    summary: 'Ask a model, as by the OpenAI API',
    ...{ orb_id: chatOrb, body: completionBody, response: completionSchema, streams: true, form: openAiForm },
    handle: (asking, orbisetId) => complete(asking, orbisetId, scope),
  }),
  ...routesOf({
    path: '/embeddings',
    operationId: 'createEmbeddings',
    summary: 'Turn texts into vectors, as by the OpenAI API',
    ...{ orb_id: embedOrb, body: embeddingBody, response: embeddingSchema, form: openAiForm },
    handle: (asking, orbisetId) => embed(asking, orbisetId, scope),
  }),
];

async function complete(asking: Asking, orbiset_id: string, scope: ModelsScope): Promise<Reply> {
  const { inputs, stream, includeUsage } = completionRequest(new Member(asking.body));
  const run = { door: 'openai/chat', orbiset_id, orb_id: chatOrb, inputs, asking };
  const frame = (runId: string) => ({
    id: `chatcmpl-${runId.replace('run_', '')}`,
    created: Math.floor(scope.clock.now() / 1000),
  });
  if (stream) {
    const codec = (runId: string) => new ChunkStream({ ...frame(runId), model: inputs.model, includeUsage });
    return streamed(run, { keepalive: chunkKeepalive, codec, failure: errorEvent }, scope);
  }
  const notes: RunNotes = {};
  const result = await runOf(run, notes, scope);
  // The outputs fit the schema of the Orb.
  const outputs = result.outputs as unknown as ChatOutputs;
  const body = completionAnswer(outputs, frame(result.run_id), orbMember(result, notes));
  return reply({ headers: runHeaders(asking, notes), body });
}

async function embed(asking: Asking, orbiset_id: string, scope: ModelsScope): Promise<Reply> {
  const request = embeddingRequest(new Member(asking.body));
  const notes: RunNotes = {};
  const run = { door: 'openai/embeddings', orbiset_id, orb_id: embedOrb, inputs: request.inputs, asking };
  const result = await runOf(run, notes, scope);
  // The outputs fit the schema of the Orb.
  const outputs = result.outputs as unknown as EmbedOutputs;
  return reply({
    headers: runHeaders(asking, notes),
    body: embeddingAnswer(outputs, request, orbMember(result, notes)),
  });
}
