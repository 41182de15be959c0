import { defineRoute, exactly, given, optional, PlatformError, type Route } from '../../../kernel/index.ts';
import { diffFiles } from '../revisions/diff.ts';
import type { Changed, Wanted } from '../changes/changes.ts';
import type { Revision } from '../revisions/revision.ts';
import { activating, changeFor, changeProblems, noPolicy, reading, type RouteScope } from './scope.ts';
import { activated, policyId, revision } from '../shapes.ts';
import { problems } from '../problems.ts';

const text = { type: 'string' } as const;
const name = { type: 'string', pattern: '^(sha256:)?[0-9a-f]{12,64}$', examples: ['sha256:0123456789ab'] } as const;

/** Makes the routes of revisions. */
export function revisionRoutes(scope: RouteScope): readonly Route[] {
  return [listRoute(scope), readRoute(scope), diffRoute(scope), activateRoute(scope), rollbackRoute(scope)];
}

const listRoute = ({ engine, reads }: RouteScope): Route =>
  defineRoute({
    ...reading,
    path: '/policies/-/revisions',
    operationId: 'listPolicyRevisions',
    summary: 'List all revisions that were active, newest first',
    response: exactly({ revisions: { type: 'array', description: 'The revisions, newest first', items: revision } }),
    handle: async () => ({
      revisions: (await reads.revisions()).map(({ digest, ...rest }) => ({
        revision: digest,
        active: digest === engine.active?.digest,
        ...rest,
      })),
    }),
  });

/** Returns a revision by its digest or at least its first 12 digits. Throws 404 `revision_not_found`. */
export async function getRevision({ reads }: RouteScope, asked: string): Promise<Revision> {
  const digits = `sha256:${asked.replace(/^sha256:/, '')}`;
  const found = (await reads.revisions()).filter(({ digest }) => digest.startsWith(digits));
  const [only] = found;
  const whole = found.length === 1 && only !== undefined ? await reads.revision(only.digest) : undefined;
  if (whole === undefined)
    throw new PlatformError(
      problems.revision_not_found,
      `no single revision matches ${asked}; GET /policies/-/revisions lists them`,
    );
  return whole;
}

const params = exactly({ revision: { ...name, description: 'Digest of a revision, or the first 12 digits of it' } });

const readRoute = (scope: RouteScope): Route =>
  defineRoute({
    ...reading,
    path: '/policies/-/revisions/{revision}',
    operationId: 'getPolicyRevision',
    summary: 'Read a revision with its files',
    params,
    response: {
      type: 'object',
      required: [...revision.required, 'files'],
      properties: {
        ...revision.properties,
        files: {
          type: 'array',
          description: 'The files of the revision',
          items: exactly({
            path: { ...text, description: 'Path of the file in the folder' },
            source: { ...text, description: 'Text of the file' },
          }),
        },
      },
    },
    problems: [problems.revision_not_found],
    async handle(call) {
      const { digest, files } = await getRevision(scope, call.params.revision);
      const known = await scope.reads.revisionRow(digest);
      const { digest: _, ...row } = known ?? { digest, created_at: '', created_by: '' };
      return { revision: digest, active: digest === scope.engine.active?.digest, ...row, files };
    },
  });

/** Schema of the difference of one file. */
export const fileDiff = exactly({
  path: { ...text, description: 'Path of the file in the folder' },
  change: { enum: ['added', 'removed', 'changed'], description: 'Kind of change' },
  diff: { ...text, description: 'Unified diff' },
});

const diffRoute = (scope: RouteScope): Route =>
  defineRoute({
    ...reading,
    path: '/policies/-/revisions/{revision}/diff/{other}',
    operationId: 'comparePolicyRevisions',
    summary: 'Compare two revisions file by file; `other` may be `drafts`: the active revision with the drafts',
    params: exactly({
      revision: { ...name, description: 'Digest of a revision, or the first 12 digits of it' },
      other: {
        type: 'string',
        pattern: '^(drafts|(sha256:)?[0-9a-f]{12,64})$',
        examples: ['drafts'],
        description: 'The digest of the other revision, or `drafts`',
      },
    }),
    response: exactly({ files: { type: 'array', description: 'Files that differ', items: fileDiff } }),
    problems: [problems.revision_not_found],
    async handle({ params: { revision: from, other } }) {
      const { files } = await getRevision(scope, from);
      if (other === 'drafts') return { files: diffFiles(files, scope.changes.withDrafts(await scope.reads.drafts())) };
      return { files: diffFiles(files, (await getRevision(scope, other)).files) };
    },
  });

const change = {
  overwrite: optional({
    type: 'boolean',
    default: false,
    description: 'Whether to replace a policies folder that differs',
  }),
  message: optional({ type: 'string', maxLength: 500, description: 'Reason for the change, shown in the history' }),
} as const;

const activateRoute = (scope: RouteScope): Route =>
  defineRoute({
    ...activating,
    method: 'POST',
    path: '/policies/-/activate',
    operationId: 'activatePolicies',
    summary: 'Activate drafts or an earlier revision, after all checks',
    body: exactly({
      drafts: optional({
        type: 'array',
        minItems: 1,
        maxItems: 200,
        items: policyId,
        description: 'Ids of the drafts to activate. Default: all',
      }),
      revision: optional({ ...name, description: 'Digest of an earlier revision, to activate it instead of drafts' }),
      folder: optional({
        type: 'boolean',
        default: false,
        description:
          'Activate the files of the policies folder of this server instead of drafts; for nodes that share a store',
      }),
      ...change,
    }),
    response: activated,
    problems: [...changeProblems, problems.policy_not_found, problems.revision_not_found],
    handle: async (call) => shownChange(await changeFor(scope, call, () => chosen(scope, call.body), call.body)),
  });

function shownChange({ revision: { digest }, previous }: Changed): object {
  return { revision: digest, ...given({ previous }) };
}

async function chosen(
  scope: RouteScope,
  asked: { readonly drafts?: readonly string[]; readonly revision?: string; readonly folder?: boolean },
): Promise<Wanted> {
  if (asked.folder === true) return { files: await scope.changes.inFolder() };
  if (asked.revision !== undefined) return { files: (await getRevision(scope, asked.revision)).files };
  const all = await scope.reads.drafts();
  const ids = asked.drafts ?? all.map(({ id }) => id);
  const drafts = ids.map((id) => {
    const draft = all.find((one) => one.id === id);
    if (draft === undefined) throw noPolicy(`draft of the policy ${id}; GET /policies lists policies and drafts`);
    return draft;
  });
  if (drafts.length === 0) throw noPolicy('draft to activate');
  return { files: scope.changes.withDrafts(drafts), drafts };
}

function rollbackRoute(scope: RouteScope): Route {
  const { engine, reads } = scope;
  return defineRoute({
    ...activating,
    method: 'POST',
    path: '/policies/-/rollback',
    operationId: 'rollBackPolicies',
    summary: 'Activate the previous revision again',
    body: exactly(change),
    response: activated,
    problems: [...changeProblems, problems.revision_not_found],
    async handle(call) {
      const { overwrite, message: said = 'rollback' } = call.body;
      const earlier = async (): Promise<Wanted> => {
        const active = engine.active?.digest;
        // A pending revision is not active yet, or was refused.
        const before = (await reads.activations(100)).find(({ digest, pending }) => !pending && digest !== active);
        if (before === undefined)
          throw new PlatformError(problems.revision_not_found, 'there is no earlier revision to return to');
        return { files: (await getRevision(scope, before.digest)).files };
      };
      return shownChange(await changeFor(scope, call, earlier, { overwrite, message: said }));
    },
  });
}
