import { exactly } from '../../tools/schema.ts';
import { PlatformError, type ProblemType } from '../../error.ts';
import type { ProblemTable } from '../../problem-table.ts';
import { openapi } from '../openapi/openapi.ts';
import type { Hooks } from '../../hooks.ts';
import { asksForPage } from '../route/prefers.ts';
import { defineRoute, reply, type Route } from '../route/route.ts';

/** The data that the routes of the HTTP side itself describe. */
export interface HttpRoutesOptions {
  readonly version: string;
  readonly publicUrl: string;
  readonly problems: ProblemTable;
  readonly hooks?: Pick<Hooks, 'present'>;
  /** Returns all routes, these included; called when the document is first read. */
  readonly routes: () => readonly Route[];
}

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

// The description of the API is the same for everybody, so a page of any site may read it.
const readAnywhere = { 'Access-Control-Allow-Origin': '*' } as const;

/** Makes the routes that describe the API: what each problem means, the OpenAPI document. */
export function httpRoutes({ version, publicUrl, problems, hooks, routes }: HttpRoutesOptions): readonly Route[] {
  let document: Buffer | undefined;
  return [
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
        const type = found(problems, params.code);
        const page = asksForPage(accept?.toString()) ? await hooks?.present({ kind: 'problem', type }) : undefined;
        if (page !== undefined) return page;
        const { code, status, title, retryable } = type;
        return reply({ headers: { ...readAnywhere, Vary: 'Accept' }, body: { code, status, title, retryable } });
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/openapi.json',
      operationId: 'getOpenapi',
      service: 'shared',
      public: true,
      summary: 'Read this document (OpenAPI 3.1)',
      produces: 'application/json',
      handle: () => {
        document ??= Buffer.from(JSON.stringify(openapi(routes(), { version, publicUrl, problems })));
        return reply({ type: 'application/json', headers: readAnywhere, body: document });
      },
    }),
  ];
}

function found(problems: ProblemTable, code: string): ProblemType {
  const type = problems.get(code);
  if (type === undefined) throw new PlatformError('route_not_found', `no problem has the code ${code}`);
  return type;
}
