import { bundledScript, defineRoute, type Route } from '../../../kernel/index.ts';
import { verifyPage, type PageData } from './page.ts';

const pageScript = bundledScript(new URL('./app.ts', import.meta.url));

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
