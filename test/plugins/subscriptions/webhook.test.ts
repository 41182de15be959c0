import { expect } from 'chai';
import { compile } from '../../../kernel/tools/schema.ts';
import { runCallback } from '../../../plugins/subscriptions/webhook.ts';
import { until } from '../../helpers/until.ts';
import type { VendorRequest } from '../../helpers/vendor.ts';
import { startBed, type Bed } from './bed.ts';

describe('the webhook of the OpenAPI document', function () {
  let bed: Bed;
  let posts: readonly VendorRequest[];
  before(async () => {
    bed = await startBed();
    const receiver = await bed.receiver();
    ({ posts } = receiver);
    await bed.subscribe(receiver.url);
    await bed.subscribe(receiver.url, { format: 'cloudevents' });
    await bed.run('described');
    await until(
      () => posts.length,
      (count) => count === 2,
      'two callbacks',
    );
  });
  after(() => bed.stop());

  it('describes the callbacks of subscriptions, which need no key', async () => {
    const { body } = await bed.platform.call('GET', '/openapi.json', undefined, null);
    const { webhooks } = body as { webhooks: Readonly<Record<string, { post: object }>> };
    expect(Object.keys(webhooks)).to.deep.equal(['runEnded']);
    expect(webhooks['runEnded']?.post).to.deep.include({ operationId: 'receiveRunCallback', security: [] });
    expect(webhooks['runEnded']?.post)
      .to.have.nested.property('requestBody.content')
      .that.has.all.keys('application/json', 'application/cloudevents+json');
    // Of components that nothing else refers to, oapi-codegen makes no types.
    expect(JSON.stringify(webhooks)).to.not.include('$ref');
  });

  it('describes every member and header that is sent, in both forms', () => {
    const seen = posts.map(({ headers, body }) => {
      const type = String(headers['content-type']);
      const schema = runCallback.content[type] ?? expect.fail(type);
      // The schema is closed: a member that it does not name is a fault.
      expect(compile(schema)(JSON.parse(body.toString())), body.toString()).to.deep.equal([]);
      expect(headers).to.include.keys(Object.keys(runCallback.headers));
      const webhook = Object.keys(headers).filter((name) => name.startsWith('webhook-'));
      expect(webhook).to.have.members(Object.keys(runCallback.headers));
      return type;
    });
    expect(seen).to.have.members(Object.keys(runCallback.content));
  });
});
