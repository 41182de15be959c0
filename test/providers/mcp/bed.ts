import { canonical, digest } from '../../../kernel/adapter.ts';
import { startPlatform, type Answer, type PlatformOptions, type TestPlatform } from '../../helpers/platform.ts';
import type { FixtureTool } from './fixture.ts';

/** Computes the digest of a tool's definition as the specification says: SHA-256 of the canonical form of six members. */
export function digestOf({ name, title, description, inputSchema, outputSchema, annotations }: FixtureTool): string {
  const members = { name, title, description, inputSchema, outputSchema, annotations };
  return digest(canonical(JSON.parse(JSON.stringify(members))));
}

/** Makes the manifest of an Orb that represents a tool. */
export function manifestOf(tool: FixtureTool, more: object = {}): Record<string, unknown> {
  return {
    manifest_version: 1,
    orb_id: `tools.${tool.name.replaceAll('_', '-')}@1.0.0`,
    title: tool.name,
    description: 'A tool of the fixture.',
    capability: 'mcp',
    inputs_schema: tool.inputSchema,
    outputs_schema: { type: 'object', required: ['content'] },
    effect: 'irreversible',
    action_class: 'execute',
    timeout_ms: 20_000,
    upstream: { provider: 'fix', tool: tool.name, definition_digest: digestOf(tool) },
    ...more,
  };
}

/** A platform whose Orbs represent tools. */
export interface Bed {
  readonly platform: TestPlatform;
  execute(orb: string, inputs: object, more?: object): Promise<Answer>;
  /** The facts of the receipt of an answer. */
  factsOf(answer: Answer): Promise<Answer['body']>;
}

/** Starts a platform with providers and Orbs of tools. */
export async function startBed(
  providers: object,
  manifests: readonly Record<string, unknown>[],
  { platform: settings = {}, data = {}, ...options }: PlatformOptions = {},
): Promise<Bed> {
  const orbs = manifests.map((manifest) => [`orbs/${String(manifest['orb_id'])}.json`, manifest] as const);
  const platform = await startPlatform({
    platform: { providers: { outbox: { adapter: 'email/outbox' }, ...providers }, ...settings },
    data: {
      ...Object.fromEntries(orbs),
      'orbisets/tools.json': { id: 'tools', tenant: 'default', orbs: ['*'] },
      ...data,
    },
    ...options,
  });
  return {
    platform,
    execute: (orb_id, inputs, more = {}) =>
      platform.call('POST', '/orbisets/tools/execute', { orb_id, inputs, ...more }),
    async factsOf({ body }) {
      const { body: receipt } = await platform.call('GET', `/receipts/${String(body.receipt.receipt_id)}`);
      return receipt.statement?.predicate?.facts ?? receipt;
    },
  };
}

/** The provider of a fixture on loopback. */
export const httpProvider = (url: string, config: object = {}) => ({
  adapter: 'mcp/http',
  config: { url, private: true, ...config },
});
