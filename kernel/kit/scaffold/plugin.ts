import { declarations } from './declarations.ts';
import { checkName, type Project } from './project.ts';

/** Makes the project of a plugin: it counts how runs ended and answers the counts. */
export function pluginProject(name: string): Project {
  checkName(name, /^[a-z]([a-z0-9-]*[a-z0-9])?$/, 'tally');
  const folder = `ext/${name}`;
  return {
    files: {
      [`${folder}/index.ts`]: pluginText(name),
      [`${folder}/index.test.ts`]: testText(name),
      [`${folder}/agent-orb.d.ts`]: declarations,
      [`${folder}/package.json`]: `${JSON.stringify({ private: true, type: 'module' })}\n`,
    },
    platform: { plugins: { [name]: { from: `./${folder}/index.ts` } } },
    next: [
      `node --test ${folder}/index.test.ts`,
      'then add the member above to data/platform.json, and: orb config check, and start again',
    ].join('\n'),
  };
}

function pluginText(name: string): string {
  return `import type { Api } from './agent-orb.d.ts';

/** Counts how runs ended since the start. */
export default (api: Api) =>
  api.definePlugin({
    name: '${name}',
    scopes: { '${name}:read': { title: 'Read how runs ended', installation: true } },
    start({ hooks }) {
      const counts: Record<string, number> = {};
      hooks.runSettled.tap('${name}', ({ status }) => {
        counts[status] = (counts[status] ?? 0) + 1;
      });
      const route = api.defineRoute({
        method: 'GET',
        path: '/${name}',
        service: 'runtime',
        scope: '${name}:read',
        summary: 'Count runs by status since the start',
        response: { type: 'object', additionalProperties: { type: 'integer' } },
        problems: [],
        handle: () => counts,
      });
      return { routes: [route] };
    },
  });
`;
}

function testText(name: string): string {
  return `// Runs alone: node --test.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Api, RouteDefinition, RunSettled } from './agent-orb.d.ts';
import define from './index.ts';

test('counts runs by how they ended', async () => {
  const same = (definition: object) => definition;
  const api = { definePlugin: same, defineRoute: same } as unknown as Api;
  const plugin = define(api) as { start(scope: object): { routes: RouteDefinition[] } };
  let settled: (event: Partial<RunSettled>) => void = () => assert.fail('nothing was tapped');
  const hooks = { runSettled: { tap: (_: string, listener: typeof settled) => (settled = listener) } };
  const { routes } = plugin.start({ hooks });
  for (const status of ['completed', 'completed', 'failed']) settled({ status });
  assert.equal(routes[0]?.path, '/${name}');
  assert.deepEqual(routes[0]?.handle({ params: {}, query: {}, body: undefined }), { completed: 2, failed: 1 });
});
`;
}
