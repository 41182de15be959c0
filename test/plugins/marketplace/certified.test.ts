import { generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import { defineCapability, defineProvider } from '../../../kernel/adapter.ts';
import { manifestKeyOf, signManifest } from '../../../plugins/marketplace/publish/manifest-signature.ts';
import { startMarket, type Market } from '../ledger/market.ts';
import { manifestOf } from './orbs.ts';
import type { OrbManifest } from '../../../plugins/runtime/contract.ts';

const orbId = 'demo.parrot@1.0.0';
const manifest = manifestOf(orbId, { capability: 'parrot' }) as OrbManifest;
const adapter = defineProvider({
  name: 'wire',
  capability: defineCapability({ name: 'parrot', title: 'Says it again' }),
  config: { type: 'object', additionalProperties: false, properties: {} },
  open: () => ({ execute: ({ text }) => Promise.resolve({ text }) }),
});

describe('an Orb that earned a tier, in the marketplace', function () {
  this.timeout(120_000);
  let market: Market;
  const page = async (query = ''): Promise<string> =>
    String((await market.platform.call('GET', `/marketplace/${orbId}${query}`, undefined, null)).body);

  before(async () => {
    market = await startMarket({
      adapters: [adapter],
      platform: { providers: { main: { adapter: 'parrot/wire' } } },
      data: { [`orbs/${orbId}.json`]: manifest },
    });
    const { platform } = market;
    const { privateKey } = generateKeyPairSync('ed25519');
    await platform.call('POST', '/namespaces', { namespace: 'demo', manifest_key: manifestKeyOf(privateKey) });
    const signature = signManifest(manifest, privateKey);
    const published = await platform.call('POST', '/marketplace/orbs/publish', { orb_id: orbId, signature });
    expect(published.body.publisher).to.deep.equal({ namespace: 'demo', manifest_signed: true });
    const keys = [await platform.key({ scopes: ['orbs:execute'] }), await platform.key({ scopes: ['orbs:execute'] })];
    for (let day = 0; day < 3; day++) {
      for (const key of keys)
        for (let run = 0; run < 10; run++)
          await platform.call('POST', '/orbisets/default/execute', { orb_id: orbId, inputs: { text: 'x' } }, key);
      await market.endDay();
    }
    await market.until('the certificate', async () => (await page()).includes('Bronze, valid.'));
  });
  after(() => market.platform.stop());

  it('stands on both lists with its tier and score', async () => {
    const open = await market.platform.call('GET', '/marketplace/orbs/public', undefined, null);
    const [row] = open.body.orbs;
    expect(row).to.include({ name: 'demo.parrot', certification_tier: 'bronze' });
    expect(row.reputation_score).to.be.within(60, 100);
    const { body } = await market.platform.call('GET', '/marketplace/orbs?tier=bronze');
    expect(body.orbs.map(({ orb_id }: { orb_id: string }) => orb_id)).to.deep.equal([orbId]);
    expect(body.orbs[0]).to.include({ reputation_score: row.reputation_score, provisional: false });
    expect(body.orbs[0].usage).to.deep.equal({ runs_30d: 60, callers_30d: 2 });
  });

  it('shows its score, tier, ladder and badge, and a certificate that verifies', async () => {
    const text = await page('?verify=1');
    for (const part of ['Parts of the score', 'Bronze', 'held since', 'Promoted', 'Every check passed.'])
      expect(text, part).to.include(part);
    const badge = await market.platform.call('GET', `/reputation/${orbId}/badge`, undefined, null);
    expect([badge.status, String(badge.body).includes('bronze')]).to.deep.equal([200, true]);
  });

  it('shows a suspension at once, on the list and on the page', async () => {
    await market.platform.call('POST', `/reputation/${orbId}/suspend`, { reason: 'a complaint' });
    const open = await market.platform.call('GET', '/marketplace/orbs/public', undefined, null);
    expect(open.body.orbs[0].certification_tier).to.equal('none');
    expect(await page())
      .to.include('Suspended')
      .and.include('Bronze returns');
    await market.platform.call('POST', `/reputation/${orbId}/reinstate`, { reason: 'it was nothing' });
  });

  it('ends with a yank: no tier, and the certificate revoked', async () => {
    const path = `/marketplace/orbs/${orbId}/status`;
    await market.platform.call('PATCH', path, { status: 'yanked', reason: 'Broken.' });
    await market.until('the revocation', async () => (await page()).includes('Bronze, revoked.'));
    expect(await page('?verify=1')).to.include('Not verified.');
    expect((await market.platform.call('GET', '/marketplace/orbs')).body.total).to.equal(0);
  });
});
