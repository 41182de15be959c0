import { defineRoute, exactly, optional, type Infer, type Platform, type Route } from '../../../kernel/index.ts';
import { importTools } from './import.ts';

const namespace = {
  type: 'string',
  pattern: '^[a-z0-9]([a-z0-9_-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9_-]*[a-z0-9])?)*$',
  maxLength: 80,
} as const;

const importRequest = exactly('ImportRequest', {
  namespace: optional({ ...namespace, description: 'Namespace of the Orbs. Default: the name of the provider' }),
  only: optional({
    type: 'array',
    minItems: 1,
    maxItems: 1000,
    uniqueItems: true,
    items: { type: 'string', minLength: 1, maxLength: 256 },
    description: 'Names of the tools. Default: all',
  }),
  trust_annotations: optional({
    type: 'boolean',
    description: "True: the effects follow the server's own annotations, by your word; the manifests say so",
  }),
  write: optional({ type: 'boolean', description: 'True: the Orbs are put into service. Default: nothing changes' }),
});

const importedTool = exactly('ImportedTool', {
  tool: { type: 'string', description: 'Name of the tool at the provider' },
  change: {
    enum: ['new', 'patch', 'minor', 'major', 'unchanged', 'refused'],
    description: 'How the Orb differs from its version before',
  },
  definition_digest: { type: 'string', description: "SHA-256 of the canonical form of the tool's definition" },
  tokens: { type: 'integer', description: "About how much of a model's context it takes" },
  orb_id: optional({ type: 'string', description: 'Id of the Orb' }),
  effect: optional({ type: 'string', description: 'What a run may change in the world' }),
  action_class: optional({ type: 'string', description: 'Kind of action' }),
  why: { type: 'string', description: 'Why the effect is assumed, or why the tool is refused' },
});

/** Schema of what an import did, or would do. */
export const importReport = exactly('ImportReport', {
  provider: { type: 'string', description: 'Name of the provider' },
  written: { type: 'boolean', description: 'Whether the Orbs were put into service' },
  tools: { type: 'array', description: 'In the order of the server', items: importedTool },
});

/** What an import did, or would do. */
export type ImportReport = Infer<typeof importReport>;

/** Answers `POST /providers/{provider}/import`. */
export function importRoute(platform: Platform): Route {
  return defineRoute({
    method: 'POST',
    path: '/providers/{provider}/import',
    operationId: 'importTools',
    service: 'runtime',
    scope: 'orbs:manage',
    live: true,
    summary: 'Make Orbs of the tools of an MCP server that is configured; without write nothing changes',
    params: exactly({ provider: { type: 'string', maxLength: 64, description: 'Name of the provider' } }),
    body: importRequest,
    response: importReport,
    problems: ['invalid_provider', 'probe_failed'],
    handle: async ({ params: { provider }, body, principal }) => {
      const { write = false, trust_annotations: trustAnnotations = false, only } = body;
      const order = { provider, namespace: body.namespace ?? provider, trustAnnotations, only, write, principal };
      return { provider, written: write, tools: await importTools(platform, order) };
    },
  });
}
