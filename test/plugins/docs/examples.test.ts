import { expect } from 'chai';
import { follower, operationsOf } from '../../../plugins/docs/reference/operation.ts';
import { sampleOf } from '../../../plugins/docs/reference/samples.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';

// What they end or begin would meet the requests after them.
const last = ['revokeKey', 'reloadConfig'];
// Its answer goes on until the caller leaves.
const endless = ['streamEvents'];

describe('the requests of the API reference', function () {
  this.timeout(60_000);
  let platform: TestPlatform;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.stop());

  it('are not refused for their form when they are sent as they are', async () => {
    const document = (await platform.call('GET', '/openapi.json')).body as object;
    const follow = follower(document);
    const all = operationsOf(document).map((one) => ({ id: one.page.slice(4), ...sampleOf(one, follow) }));
    const ordered = [...all.filter(({ id }) => !last.includes(id)), ...all.filter(({ id }) => last.includes(id))];
    const refused: string[] = [];
    for (const { id, method, path, body, keyed } of ordered.filter((one) => !endless.includes(one.id))) {
      if (/[/=][A-Z_]+(?:[/?&]|$)/.test(path)) refused.push(`${id}: ${path}`);
      const json = body === undefined ? undefined : (JSON.parse(body) as object);
      let answer = await platform.call(method, path, json, keyed ? platform.adminKey : null);
      while (answer.status === 429) answer = await platform.call(method, path, json, keyed ? platform.adminKey : null);
      const { code, errors, detail } = (answer.body ?? {}) as Record<string, unknown>;
      if ([400, 415].includes(answer.status) || /^invalid_(?:body|inputs|parameter)$/.test(String(code)))
        refused.push(`${id}: ${method} ${path} ${answer.status} ${String(code)} ${JSON.stringify(errors ?? detail)}`);
    }
    expect(refused).to.deep.equal([]);
  });
});
