import { PlatformError, reply, type Reply } from '../../../kernel/index.ts';
import type { CountOutputs } from '../../../providers/llm/contract.ts';
import { problems } from '../problems.ts';
import { countOrb, type Asking, type ModelsScope } from '../scope.ts';
import type { RunNotes } from '../serve/door-run.ts';
import { orbMember, runHeaders, runOf } from '../serve/run.ts';
import { Member } from '../wire/member.ts';
import { countRequest } from './request.ts';

/**
 * Answers `POST /v1/messages/count_tokens` with what a provider counted. Throws 501 `token_count_unavailable` when the
 * provider of the model cannot count: a number that is made here would be a guess.
 */
export async function count(asking: Asking, orbiset_id: string, scope: ModelsScope): Promise<Reply> {
  const { model, ...prompt } = countRequest(new Member(asking.body));
  const run = { door: 'anthropic/count_tokens', orbiset_id, orb_id: countOrb, inputs: { model, prompt }, asking };
  const notes: RunNotes = {};
  try {
    const result = await runOf(run, notes, scope);
    // The outputs fit the schema of the Orb.
    const { input_tokens } = result.outputs as unknown as CountOutputs;
    return reply({ headers: runHeaders(asking, notes), body: { input_tokens, orb: orbMember(result, notes) } });
  } catch (error) {
    if (!(error instanceof PlatformError) || error.extensions.phase !== 'uncounted') throw error;
    throw new PlatformError(problems.token_count_unavailable, error.message, error.extensions, { cause: error });
  }
}
