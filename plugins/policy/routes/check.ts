import { defineRoute, exactly, given, optional, type Answered, type Route } from '../../../kernel/index.ts';

import { compilerFiles } from '../folder/gate.ts';
import type { Built } from '../toolchain/build.ts';
import { withExcerpts } from '../toolchain/excerpt.ts';
import { ask } from '../toolchain/request.ts';
import { askCompiler } from '../toolchain/source.ts';
import { writing, type RouteScope } from './scope.ts';
import { diagnostics, files, formatted, paths, pathText, policyInfo, tests, type PolicyFile } from '../shapes.ts';
import { problems } from '../problems.ts';

const posted = exactly({ files: { ...files, description: 'The policy files' } });

const entrypoints = {
  type: 'object',
  description:
    'For each action: the parts of its envelope that the policies can read, and whether decisions are cached',
  additionalProperties: exactly({
    cached: { type: 'boolean', description: 'Whether decisions about the action are cached' },
    reads: { ...paths, description: 'Parts of the envelope that the policies can read' },
  }),
} as const;

const validated = exactly({
  valid: { type: 'boolean', description: 'Whether all checks passed' },
  diagnostics: { ...diagnostics, description: 'Findings in the policies' },
  policies: { type: 'array', description: 'The policies in the files', items: policyInfo },
  entrypoints: optional(entrypoints),
  tests: { ...tests, description: 'Results of the tests' },
});

/** Makes the routes that check files without keeping them. */
export function checkRoutes(scope: RouteScope): readonly Route[] {
  return [validateRoute(scope), formatRoute(scope), testRoute(scope)];
}

const validateRoute = ({ changes }: RouteScope): Route =>
  defineRoute({
    ...writing,
    method: 'POST',
    path: '/policies/validate',
    operationId: 'validatePolicies',
    summary: 'Check a complete policies folder, without storing it',
    body: posted,
    files: ['policy'],
    response: validated,
    problems: [problems.policy_compiler_unavailable],
    async handle({ body, files: uploaded }) {
      const built = await (uploaded === undefined
        ? changes.check(body.files)
        : changes.checkFound(uploaded.map(({ filename, bytes }) => ({ path: filename, bytes }))));
      return {
        valid: built.revision !== undefined,
        diagnostics: built.diagnostics,
        policies: built.policies.map((policy) => ({ ...policy, active: false, draft: false })),
        ...given({ entrypoints: built.entrypoints && shownEntrypoints(built.entrypoints) }),
        tests: built.tests,
      };
    },
  });

function shownEntrypoints(found: NonNullable<Built['entrypoints']>): object {
  return Object.fromEntries(
    Object.entries(found).map(([name, { all, paths: read }]) => [name, { cached: !all, reads: read.map(pathText) }]),
  );
}

const formatRoute = ({ source }: RouteScope): Route =>
  defineRoute({
    ...writing,
    method: 'POST',
    path: '/policies/format',
    operationId: 'formatPolicies',
    summary: 'Format Rego files',
    body: posted,
    response: formatted,
    problems: [problems.policy_compiler_unavailable],
    async handle({ body }) {
      const question = { op: 'format', files: compilerFiles(body.files) };
      const answer = await askCompiler(source, (compiler) => ask<Answered<typeof formatted>>(compiler, question));
      return { files: answer.files, diagnostics: withExcerpts(answer.diagnostics, body.files) };
    },
  });

const testRoute = ({ engine, changes, reads }: RouteScope): Route =>
  defineRoute({
    ...writing,
    method: 'POST',
    path: '/policies/test',
    operationId: 'testPolicies',
    summary: 'Run the tests of the active policies, of drafts, or of posted files',
    body: exactly({
      against: optional({
        enum: ['active', 'drafts'],
        default: 'active',
        description: 'What to test when the request contains no files',
      }),
      files: optional({ ...files, description: 'The policy files' }),
    }),
    response: exactly({
      passed: { type: 'boolean', description: 'Whether all tests passed' },
      tests: { ...tests, description: 'Results of the tests' },
      diagnostics: { ...diagnostics, description: 'Findings in the policies' },
      coverage: optional({ type: 'object', description: "OPA's coverage report", additionalProperties: true }),
    }),
    problems: [problems.policy_compiler_unavailable],
    async handle({ body }) {
      const active: readonly PolicyFile[] = engine.active?.files ?? [];
      const chosen = body.files ?? (body.against === 'drafts' ? changes.withDrafts(await reads.drafts()) : active);
      const built = await changes.check(chosen, { coverage: true });
      return {
        passed: built.revision !== undefined,
        tests: built.tests,
        diagnostics: built.diagnostics,
        ...given({ coverage: built.coverage }),
      };
    },
  });
