import { optional } from '../../../kernel/index.ts';
import { entrypointOf } from '../decide/decider.ts';
import { WebAssembly } from '../evaluator/web-assembly.ts';
import type { ReplayQuestion } from '../decisions/replay.ts';
import type { PoolAnswer } from '../evaluator/question.ts';
import { invalid } from '../changes/changes.ts';
import type { Revision } from '../revisions/revision.ts';
import { getRevision } from './revisions.ts';
import type { RouteScope } from './scope.ts';
import { files, type PolicyFile } from '../shapes.ts';

/** The policies that a caller asks about: posted files, or what `against` names. */
export interface Against {
  readonly files?: readonly PolicyFile[] | undefined;
  readonly against: string;
}

/** Schema of the members that name the policies. */
export const candidate = <T extends 'active' | 'drafts'>(byDefault: T) =>
  ({
    against: optional({
      type: 'string',
      pattern: '^(active|drafts|(sha256:)?[0-9a-f]{12,64})$',
      examples: ['drafts'],
      default: byDefault,
      description: '`active`, `drafts` (on top of the active policies), or the digest of a revision',
    }),
    files: optional({ ...files, description: 'The files of a complete folder; used instead of `against`' }),
  }) as const;

/** Returns the revision that a caller asks about. Throws 422 `policy_invalid` and 404 `revision_not_found`. */
export async function revisionFor(scope: RouteScope, { files: posted, against }: Against): Promise<Revision> {
  const { engine, changes, reads } = scope;
  const built = async (chosen: readonly PolicyFile[]): Promise<Revision> => {
    const { revision, diagnostics: found } = await changes.check(chosen);
    if (revision === undefined) throw invalid(found);
    return revision;
  };
  if (posted !== undefined) return built(posted);
  if (against === 'drafts') return built(changes.withDrafts(await reads.drafts()));
  if (against !== 'active') return getRevision(scope, against);
  return engine.active ?? built([]);
}

/** A question to a loaded candidate; `principal`: whose turn in the queue it takes. */
type TrialQuestion = ReplayQuestion & { readonly principal: string };

/** Loads a revision into the trial thread for as long as the work lasts, and unloads it. */
export async function onTrial<T>(
  { trial, ids }: Pick<RouteScope, 'trial' | 'ids'>,
  { wasm, data }: Revision,
  work: (ask: (question: TrialQuestion) => Promise<PoolAnswer>) => Promise<T>,
): Promise<T> {
  // A unique name: another trial of the same revision must not unload this module.
  const revision = `trial ${ids('dec')}`;
  trial.load({ revision, module: await WebAssembly.compile(wasm), data: JSON.stringify(data) });
  try {
    return await work(({ action, input, ...question }) =>
      trial.evaluate({ ...question, revision, entrypoint: entrypointOf(action), input: JSON.stringify(input) }),
    );
  } finally {
    trial.unload(revision);
  }
}
