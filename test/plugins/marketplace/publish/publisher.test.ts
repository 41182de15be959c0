import { expect } from 'chai';
import type { Decision, Principal } from '../../../../kernel/index.ts';
import type { NamespaceGrant } from '../../../../plugins/ledger/contract.ts';
import { publish } from '../../../../plugins/marketplace/publish/publisher.ts';
import type { MarketScope } from '../../../../plugins/marketplace/scope.ts';
import { storeAlone } from '../alone.ts';
import { createSerial } from '../../../../kernel/index.ts';
import type { Orb } from '../../../../plugins/runtime/contract.ts';

type Question = Parameters<MarketScope['runtime']['decide']>[0];

const principal: Principal = {
  ...{ id: 'prn_1', key_id: 'key_1', tenant: 'acme', mode: 'live', scopes: ['marketplace:publish'] },
};

/** Asks to publish in a namespace of this owner, while policy denies; tells what policy was asked, and what came of it. */
async function ask(owner: NamespaceGrant['owner'], reasons: Decision['reasons'] = [{ code: 'no' }]) {
  const asked: Question[] = [];
  let followed = false;
  const orb = { orb_id: 'acme.tool@1.0.0', namespace: 'acme', name: 'tool', version: '1.0.0' } as Orb;
  const standing = { tier: 'none', suspended: false, score: null, manifest_signed: false };
  const scope = {
    runtime: {
      catalog: { orbs: new Map([[orb.orb_id, orb]]) },
      decide: (question: Question) => {
        asked.push(question);
        return Promise.resolve({ allow: false, reasons });
      },
    },
    reputation: {
      settled: () => Promise.resolve((followed = true)),
      // Before the ledger has followed the log nothing is known of the grant.
      namespace: () => (followed ? { namespace: 'acme', state: 'granted', owner } : undefined),
      get: () => standing,
    },
    listings: { now: () => ({ all: new Map() }) },
    serial: createSerial(),
    store: storeAlone,
  } as unknown as MarketScope;
  const refused = publish({ body: { orb_id: orb.orb_id }, principal, client_ip: '127.0.0.1' }, scope, () => []);
  const code = await refused.then(
    () => 'published',
    (error: unknown) => (error as { readonly code: string }).code,
  );
  return { code, is_self: asked[0]?.standing.is_self };
}

describe('what policy is asked of a publication', () => {
  it('says that the publisher is the owner: its principal where one is named, else its tenant', async () => {
    expect((await ask({ tenant: 'acme' })).is_self).to.equal(true);
    expect((await ask({ tenant: 'acme', principal: 'prn_1' })).is_self).to.equal(true);
    expect((await ask({ tenant: 'acme', principal: 'prn_2' })).is_self).to.equal(false);
  });

  it('makes 503 of a denial because the engine could not decide, whatever else it says, and 403 of any other', async () => {
    const undecided = { code: 'policy_timeout' };
    expect((await ask({ tenant: 'acme' })).code).to.equal('access_denied');
    expect((await ask({ tenant: 'acme' }, [undecided])).code).to.equal('policy_unavailable');
    expect((await ask({ tenant: 'acme' }, [{ code: 'no' }, undecided])).code).to.equal('policy_unavailable');
    expect((await ask({ tenant: 'acme' }, [])).code).to.equal('access_denied');
  });
});
