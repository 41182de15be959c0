import { expect } from 'chai';
import { send } from '../../helpers/http.ts';
import { startPlatform } from '../../helpers/platform.ts';

describe('a platform without the OpenAPI document', () => {
  it('serves its routes, leaves out the pages that are made of the document, and names none of them', async () => {
    const platform = await startPlatform({
      platform: { plugins: { openapi: false }, providers: { echo: { adapter: 'echo/local' } } },
    });
    const { json } = await send(platform.url, '/openapi.json', {});
    const { json: problem } = await send(platform.url, '/problems/rate_limited', {});
    const docs = await send(platform.url, '/docs', {});
    await platform.stop();
    expect(json).to.include({ status: 404, code: 'route_not_found', detail: 'no route here' });
    expect(problem).to.include({ code: 'rate_limited', status: 429 });
    expect(docs.json).to.include({ status: 404 });
  });
});
