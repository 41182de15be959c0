import { expect } from 'chai';
import { letThrough } from '../../helpers/let-through.ts';
import { operationsOf, type Document } from '../../helpers/openapi.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { readSample } from './sample.ts';

// What they end or begin would meet the requests after them.
const last = ['revokeKey', 'reloadConfig'];
// Its answer goes on until the caller leaves.
const endless = ['streamEvents'];
// A browser sends its form; programs have a route of their own.
const ofForms = ['decideOnApprovalPage', 'decideByApprovalLink'];

describe('the requests of the API reference', function () {
  this.timeout(120_000);
  let platform: TestPlatform;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.stop());

  it('are not refused for their form when they are sent as they are', async () => {
    const document = (await platform.call('GET', '/openapi.json')).body as Document;
    const ids = operationsOf(document).map(([, { operationId }]) => operationId);
    const ordered = [...ids.filter((id) => ![...last, ...endless, ...ofForms].includes(id)), ...last];
    const refused: string[] = [];
    for (const id of ordered) {
      const { method, path, body, keyed } = await readSample(platform, id);
      if (/[/=][A-Z_]+(?:[/?&]|$)/.test(path)) refused.push(`${id}: ${path}`);
      const answer = await letThrough(() => platform.call(method, path, body, keyed ? platform.adminKey : null));
      const { code, errors, detail } = (answer.body ?? {}) as Record<string, unknown>;
      // GET /problems/{code} answers 200 with the code that it explains.
      if (
        [400, 415].includes(answer.status) ||
        (answer.status === 422 && /^invalid_(?:body|inputs)$/.test(String(code)))
      )
        refused.push(`${id}: ${method} ${path} ${answer.status} ${String(code)} ${JSON.stringify(errors ?? detail)}`);
    }
    expect(refused).to.deep.equal([]);
  });
});
