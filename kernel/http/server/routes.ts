import { exactly } from '../../tools/schema.ts';
import { PlatformError } from '../../error.ts';
import type { ProblemTable } from '../../problem-table.ts';
import type { Hooks } from '../../hooks.ts';
import { asksForPage } from '../route/prefers.ts';
import { defineRoute, reply, type Route } from '../route/route.ts';

const problemPage = exactly('ProblemPage', {
  code: { type: 'string', description: 'Code of the problem' },
  status: { type: 'integer', description: 'HTTP status' },
  title: { type: 'string', description: 'Title of the problem' },
  retryable: { type: 'boolean', description: 'The same request may succeed later' },
});

const codeParams = exactly({
  code: {
    type: 'string',
    maxLength: 64,
    pattern: '^[a-z0-9_]+$',
    description: 'Code of a problem',
    examples: ['invalid_body'],
  },
});

/** Makes the route that explains each problem: its address is the type of the problem. */
export const problemRoute = (problems: ProblemTable, hooks?: Pick<Hooks, 'present'>): Route =>
  defineRoute({
    method: 'GET',
    path: '/problems/{code}',
    operationId: 'getProblem',
    service: 'shared',
    public: true,
    summary: 'Explain a problem code',
    params: codeParams,
    response: problemPage,
    problems: ['route_not_found'],
    forms: { 'text/html': { type: 'string' } },
    async handle({ params, headers: { accept } }) {
      const type = problems.get(params.code);
      if (type === undefined) throw new PlatformError('route_not_found', `no problem has the code ${params.code}`);
      const page = asksForPage(accept?.toString()) ? await hooks?.present({ kind: 'problem', type }) : undefined;
      if (page !== undefined) return page;
      const { code, status, title, retryable } = type;
      // A page of any site may read it.
      const headers = { 'Access-Control-Allow-Origin': '*', Vary: 'Accept' };
      return reply({ headers, body: { code, status, title, retryable } });
    },
  });
