import { defineRoute, exactly, reply, type JsonSchema, type Route } from '../../../kernel/index.ts';
import type { McpScope } from '../scope.ts';
import { snippetSchema, snippetsOf } from './snippets.ts';
import { mayBeGuarded, noOrbiset, orbisetParams, type Orb, type Orbiset } from '../../runtime/contract.ts';

/** Answers how clients of agents are configured for an Orbiset. */
export const configRoute = ({ lists, publicUrl }: McpScope): Route =>
  defineRoute({
    method: 'GET',
    path: '/orbisets/{id}/mcp/config',
    operationId: 'getMcpConfig',
    service: 'runtime',
    scope: 'orbs:execute',
    narrowed: true,
    summary: 'Show how to configure agent clients',
    params: orbisetParams,
    response: exactly('McpConfig', {
      url: { type: 'string', description: 'Address of the server' },
      claude_code: { ...snippetSchema, description: 'Claude Code' },
      cursor: { ...snippetSchema, description: 'Cursor' },
      vscode: { ...snippetSchema, description: 'Visual Studio Code' },
      codex: { ...snippetSchema, description: 'Codex' },
      desktop: { ...snippetSchema, description: 'Claude Desktop, and other clients that start a command' },
    }),
    problems: ['orbiset_not_found'],
    async handle({ params: { id }, principal }) {
      if ((await lists.of(id, principal)) === undefined) throw noOrbiset(id);
      return { url: `${publicUrl}/orbisets/${id}/mcp`, ...snippetsOf(publicUrl, id) };
    },
  });

const text = (description: string): JsonSchema => ({ type: 'string', description });

/** Answers the names of the tools of an Orbiset, and the Orbs that have none. */
export const toolsRoute = ({ lists }: McpScope): Route =>
  defineRoute({
    method: 'GET',
    path: '/orbisets/{id}/mcp/tools',
    operationId: 'listMcpTools',
    service: 'runtime',
    scope: 'orbs:execute',
    narrowed: true,
    summary: 'List the tools, and the Orbs that are not tools',
    params: orbisetParams,
    response: exactly('McpTools', {
      tools: {
        type: 'array',
        description: 'The tools that this key can use, sorted by name',
        items: exactly({
          name: text('Name of the tool'),
          orb_id: text('Orb that it runs'),
          guard: {
            enum: ['on', 'off', 'not_needed'],
            description:
              'Whether a repeated call without an idempotency key is recognized; `not_needed`: a repetition is safe',
          },
        }),
      },
      left_out: {
        type: 'array',
        description: 'Orbs that this key can run but that are not tools',
        items: exactly({ orb_id: text('The Orb'), reason: text('Why, and how to fix it') }),
      },
    }),
    problems: ['orbiset_not_found'],
    async handle({ params: { id }, principal }) {
      const list = await lists.of(id, principal);
      if (list === undefined) throw noOrbiset(id);
      return {
        tools: [...list.orbs].map(([name, orb]) => ({ name, orb_id: orb.orb_id, guard: guardOf(orb, list.orbiset) })),
        left_out: [...list.left],
      };
    },
  });

function guardOf({ manifest }: Orb, { repeat_guard }: Orbiset): 'on' | 'off' | 'not_needed' {
  if (!mayBeGuarded({ effect: manifest.effect })) return 'not_needed';
  return mayBeGuarded(manifest) && repeat_guard !== false ? 'on' : 'off';
}

/**
 * Answers the metadata of the endpoint (RFC 9728); the same for every id, so that it does not reveal which ids exist.
 */
export const metadataRoute = ({ publicUrl }: McpScope): Route =>
  defineRoute({
    method: 'GET',
    path: '/.well-known/oauth-protected-resource/orbisets/{id}/mcp',
    operationId: 'getMcpMetadata',
    service: 'runtime',
    public: true,
    summary: 'Tell clients how to authenticate (RFC 9728)',
    params: exactly({
      id: {
        type: 'string',
        maxLength: 64,
        pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$',
        description: 'Id of the Orbiset',
      },
    }),
    response: exactly('ProtectedResource', {
      resource: { type: 'string', description: 'Address of the endpoint' },
      resource_name: { type: 'string', description: 'Name for people' },
      bearer_methods_supported: { type: 'array', items: { const: 'header' }, description: 'Where the key is sent' },
      scopes_supported: { type: 'array', items: { type: 'string' }, description: 'The scopes that calls need' },
    }),
    handle: ({ params: { id } }) =>
      reply({
        headers: { 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'public, max-age=3600' },
        body: {
          resource: `${publicUrl}/orbisets/${id}/mcp`,
          resource_name: `Orbiset ${id}`,
          bearer_methods_supported: ['header'],
          scopes_supported: ['orbs:execute'],
        },
      }),
  });
