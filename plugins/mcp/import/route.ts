import { defineRoute, exactly, optional, type Infer, type Route } from '../../../kernel/index.ts';
import { importedTool } from './imported-tool.ts';
import type { Runtime } from '../../runtime/contract.ts';

const namespace = {
  type: 'string',
  pattern: '^[a-z0-9]([a-z0-9_-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9_-]*[a-z0-9])?)*$',
  maxLength: 80,
  examples: ['tools.files'],
} as const;

const names = {
  type: 'array',
  minItems: 1,
  maxItems: 1000,
  uniqueItems: true,
  items: { type: 'string', minLength: 1, maxLength: 256 },
} as const;

const toolNames = optional({ ...names, description: 'Names of the tools. Default: all that are imported' });

const importRequest = exactly('ImportRequest', {
  namespace: optional({ ...namespace, description: 'Namespace of the Orbs. Default: the name of the provider' }),
  only: optional({ ...names, description: 'Names of the tools. Default: all' }),
  trust_annotations: optional({
    type: 'boolean',
    description: "True: you trust the server's own annotations of effects; the manifests record this",
  }),
  guard: optional({
    ...exactly({
      value: {
        enum: ['on', 'off'],
        description: '`off`: a repeated call without an idempotency key is executed again',
      },
      tools: toolNames,
    }),
    description:
      'Whether repeated calls of agents are recognized. Default: on, except for tools that their server declares read-only',
  }),
  tool_errors: optional({
    ...exactly({
      value: {
        enum: ['unknown', 'no_effect'],
        description: '`no_effect`: you confirm that a failed tool has had no effect',
      },
      tools: toolNames,
    }),
    description: 'What an error of a tool means for its effect. Default: unknown',
  }),
  write: optional({ type: 'boolean', description: 'True: add the Orbs. Default: change nothing' }),
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
export const importRoute = (runtime: Runtime): Route =>
  defineRoute({
    method: 'POST',
    path: '/providers/{provider}/import',
    operationId: 'importTools',
    service: 'runtime',
    scope: 'orbs:manage',
    live: true,
    summary: 'Create Orbs from the tools of a configured MCP server; without `write` nothing changes',
    params: exactly({ provider: { type: 'string', maxLength: 64, description: 'Name of the provider' } }),
    body: importRequest,
    response: importReport,
    problems: ['invalid_provider', 'probe_failed'],
    handle: async ({ params: { provider }, body, principal }) => {
      const { write = false, trust_annotations: trustAnnotations = false, only, guard, tool_errors: toolErrors } = body;
      const choices = { trustAnnotations, guard, toolErrors };
      const { importTools } = await import('./import.ts');
      const order = { provider, namespace: body.namespace ?? provider, ...choices, only, write, principal };
      return { provider, written: write, tools: await importTools(runtime, order) };
    },
  });
