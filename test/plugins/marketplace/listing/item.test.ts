import { expect } from 'chai';
import { detailOf, itemOf } from '../../../../plugins/marketplace/listing/item.ts';
import { entryOf } from './entries.ts';

const orbId = 'acme.mail@1.0.0+b';
const url = 'https://orb.example';

describe('a version on the keyed list', () => {
  it('is shown with its score, its publisher and its addresses', () => {
    const scored = { score: 72, tier: 'silver', runs: 9, signed: true, latest: false, tags: ['a'] } as const;
    expect(itemOf(entryOf(orbId, scored), url)).to.deep.equal({
      ...{ orb_id: orbId, namespace: 'acme', name: 'acme.mail', version: '1.0.0+b', title: 'T', description: 'D' },
      ...{ certification_tier: 'silver', reputation_score: 72, standing: 'active', provisional: false },
      ...{ publisher: { namespace: 'acme', manifest_signed: true }, category: 'x', tags: ['a'], status: 'active' },
      ...{ latest: false, published_at: '2026-11-01T00:00:00.000Z', updated_at: '2026-11-01T00:00:00.000Z' },
      certificate_url: 'https://orb.example/reputation/acme.mail%401.0.0%2Bb/certificate',
      badge_url: 'https://orb.example/reputation/acme.mail%401.0.0%2Bb/badge',
      ...{ manifest_digest: 'sha256:0', usage: { runs_30d: 9, callers_30d: 0 } },
    });
  });

  it('has while suspended neither a score nor what limits it', () => {
    const limited = { limited_by: 'contract' } as const;
    expect(itemOf(entryOf(orbId, { score: 72, reputation: limited }), url)).to.include({
      score_limited_by: 'contract',
    });
    const held = itemOf(entryOf(orbId, { score: 72, suspended: true, reputation: limited }), url);
    expect(held).to.include({ standing: 'suspended', reputation_score: null });
    expect(held).to.not.have.property('score_limited_by');
  });

  it('tells whether its score is provisional', () => {
    const provisional = entryOf(orbId, { score: 3, reputation: { status: 'provisional' } });
    expect(itemOf(provisional, url).provisional).to.equal(true);
  });

  it('tells why it is not active and what to use instead', () => {
    const said = { status: 'deprecated', status_message: 'Old.', replacement: 'acme.mail@2.0.0' } as const;
    expect(itemOf(entryOf(orbId, said), url)).to.include(said);
    expect(itemOf(entryOf(orbId), url)).to.not.have.any.keys('status_message', 'replacement');
  });

  it('is read alone with the texts of its publisher', () => {
    const said = { readme: '# Mail', homepage: 'https://acme.example', license: 'MIT' } as const;
    const entry = entryOf(orbId, said);
    expect(detailOf(entry, url)).to.deep.equal({ ...itemOf(entry, url), ...said, receipt_id: 'rec_1' });
    expect(detailOf(entryOf(orbId), url)).to.not.have.any.keys('homepage', 'license');
  });
});
