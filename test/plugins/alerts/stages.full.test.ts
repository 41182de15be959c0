import { expect } from 'chai';
import { alertOn, startAlerting, type Alerting } from './started.ts';

const to = 'key_expiring@example.com';

describe('alerts on what expires', function () {
  this.timeout(60_000);
  let alerting: Alerting;
  before(async () => (alerting = await startAlerting({ alerts: [alertOn('key_expiring')] })));
  after(() => alerting?.stop());

  const later = (days: number): void =>
    alerting.clock.set(new Date(alerting.clock.now() + days * 86_400_000).toISOString());

  it('a key is told two weeks before it expires, and once more two days before', async () => {
    const expires_at = new Date(alerting.clock.now() + 15 * 86_400_000).toISOString();
    const key = { name: 'invoices', scopes: ['orbs:read'], expires_at };
    expect((await alerting.platform().call('POST', '/keys', key)).status).to.equal(201);
    await alerting.looked();
    expect(alerting.messages(to)).to.have.length(0);
    later(2);
    await alerting.message(to);
    later(12);
    const { text } = await alerting.message(to, 2);
    expect(text).to.contain(`expires at ${expires_at}`);
    await alerting.looked();
    expect(alerting.messages(to)).to.have.length(2);
  });
});
