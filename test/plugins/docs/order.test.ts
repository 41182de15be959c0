import { expect } from 'chai';
import { operationsOf } from '../../../plugins/docs/reference/operation.ts';
import { topicsOf } from '../../../plugins/docs/reference/order.ts';
import { startPlatform } from '../../helpers/platform.ts';

describe('the list of the API reference', () => {
  it('begins with the call that runs an Orb, and has every route once', async () => {
    const platform = await startPlatform();
    const document = (await platform.call('GET', '/openapi.json')).body as object;
    await platform.stop();
    const all = operationsOf(document);
    const topics = topicsOf(all);
    const listed = topics.flatMap(({ operations }) => operations.map(({ title }) => title));
    expect(listed.slice(0, 4)).to.deep.equal([
      'POST /orbisets/{id}/execute',
      'POST /orbisets/{id}/preview',
      'GET /runs/{run_id}',
      'GET /runs',
    ]);
    expect(listed).to.have.members(all.map(({ title }) => title));
    // The last topic takes what fits no other.
    const rest = topics.at(-1)?.operations.map(({ title }) => title) ?? [];
    const pages = /^\w+ \/(?:$|console|docs|llms|logo|favicon|robots|openapi|problems)/;
    expect(rest.filter((title) => !pages.test(title))).to.deep.equal([]);
  });
});
