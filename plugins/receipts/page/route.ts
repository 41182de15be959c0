import { defineRoute, type Route } from '../../../kernel/index.ts';
import { bundle } from './bundle.ts';
import { verifyPage, type PageData } from './page.ts';

let script: Promise<string> | undefined;

/** Reads the script of the page: bundled at the first call, then cached. */
export function pageScript(): Promise<string> {
  script ??= bundle(new URL('./app.ts', import.meta.url)).catch((error: unknown) => {
    script = undefined;
    throw error;
  });
  return script;
}

/** Makes the route of the page that verifies in the browser; the page contains the keys of this installation. */
export const pageRoute = (data: () => PageData): Route =>
  defineRoute({
    method: 'GET',
    path: '/verify',
    navigation: {
      name: 'Verify a receipt',
      position: 20,
      about: 'Check a receipt in your browser; nothing is uploaded',
    },
    operationId: 'showVerifyPage',
    service: 'runtime',
    public: true,
    summary: 'A page that verifies a receipt in the browser; nothing is uploaded, and it can be saved',
    produces: 'text/html',
    anyQuery: true,
    query: {
      type: 'object',
      properties: {
        by: { type: 'string', maxLength: 10, description: '`id`: the page looks receipts up by their id' },
      },
    },
    handle: async ({ query }) => verifyPage(await pageScript(), data(), query.by === 'id'),
  });
