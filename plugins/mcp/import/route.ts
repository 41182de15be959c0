import { defineRoute, exactly, optional, type Infer, type Platform, type Route } from '../../../kernel/index.ts';
import { importTools } from './import.ts';

const namespace = {
  type: 'string',
  pattern: '^[a-z0-9]([a-z0-9_-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9_-]*[a-z0-9])?)*$',
  maxLength: 80,
  examples: ['tools.files'],
} as const;

const toolNames = optional({
  type: 'array',
  minItems: 1,
  maxItems: 1000,
  uniqueItems: true,
  items: { type: 'string', minLength: 1, maxLength: 256 },
  description: 'Names of the tools. Default: all that are imported',
});

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
  guard: optional({
    ...exactly({
      value: { enum: ['on', 'off'], description: '`off`: a repeated call without a key is made again' },
      tools: toolNames,
    }),
    description:
      'Whether a call of an agent that is repeated is recognised. Default: on, but for tools that their server calls read-only',
  }),
  tool_errors: optional({
    ...exactly({
      value: {
        enum: ['unknown', 'no_effect'],
        description: '`no_effect`: a tool that fails has done nothing, by your word',
      },
      tools: toolNames,
    }),
    description: 'What an error of a tool says of an effect. Default: unknown',
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
  guard: optional({ enum: ['on', 'off'], description: 'Whether a repeated call without a key is recognised' }),
  tool_errors: optional({ enum: ['unknown', 'no_effect'], description: 'What an error of the tool says of an effect' }),
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
      const { write = false, trust_annotations: trustAnnotations = false, only, guard, tool_errors: toolErrors } = body;
      const choices = { trustAnnotations, guard, toolErrors };
      const order = { provider, namespace: body.namespace ?? provider, ...choices, only, write, principal };
      return { provider, written: write, tools: await importTools(platform, order) };
    },
  });
}
