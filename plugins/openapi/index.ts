import { definePlugin, defineRoute, reply } from '../../kernel/index.ts';
import { openapi } from './contract.ts';
import { documentOf } from './document.ts';

/** Serves the OpenAPI document of all routes. */
export default definePlugin({
  name: 'openapi',
  provides: { openapi },
  start({ platform, publicUrl, version }) {
    let bytes: Buffer | undefined;
    const document = (): object => documentOf({ ...platform.describe(), publicUrl, version });
    const showDocument = defineRoute({
      method: 'GET',
      path: '/openapi.json',
      operationId: 'getOpenapi',
      service: 'shared',
      public: true,
      summary: 'Read this document (OpenAPI 3.1)',
      produces: 'application/json',
      handle: () => {
        bytes ??= Buffer.from(JSON.stringify(document()));
        // The description of the API is the same for everybody, so a page of any site may read it.
        return reply({ type: 'application/json', headers: { 'Access-Control-Allow-Origin': '*' }, body: bytes });
      },
    });
    return { services: { openapi: { document } }, routes: [showDocument] };
  },
});
