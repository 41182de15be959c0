import { expect } from 'chai';
import type { Principal, Scopes } from '../../../kernel/index.ts';
import type { KeySummary } from '../../../plugins/api-keys/key.ts';
import { orderKey, type KeyRequest } from '../../../plugins/api-keys/routes/order.ts';

const now = Date.UTC(2026, 10, 20);
const time = (ms: number): string => new Date(ms).toISOString();
const scopes: Scopes = {
  'keys:manage': { title: 'Manage keys' },
  'orbs:read': { title: 'Read Orbs' },
  'orbs:manage': { title: 'Manage Orbs' },
};
const caller: Principal = {
  ...{ id: 'prn_1', key_id: 'key_1', tenant: 'acme', mode: 'live', scopes: ['keys:manage', 'orbs:read'] },
};
const weak = { scopes: ['orbs:read'] };
const strong = { scopes: ['orbs:read', 'orbs:manage'] };

/** Orders a key for somebody who has these keys; tells for whom, or why not. */
async function order(keys: readonly Partial<KeySummary>[], body: Partial<KeyRequest> = {}): Promise<string> {
  const owner = { id: 'prn_2', name: 'robot', tenant: 'acme' };
  const reads = {
    findPrincipal: () => owner,
    ofPrincipal: () => keys.map((key) => ({ mode: 'live', ...key }) as KeySummary),
  };
  const request: KeyRequest = { principal: owner.id, scopes: ['orbs:read'], mode: 'live', ...body };
  try {
    return (await orderKey(request, caller, { reads, scopes, now, newPrincipal: () => 'prn_3' })).owner.id;
  } catch (error) {
    return (error as { readonly code: string }).code;
  }
}

describe('who may make a key for a principal', () => {
  it('is whoever holds the scopes of its live keys, whatever those held that have ended', async () => {
    expect(await order([weak])).to.equal('prn_2');
    expect(await order([weak, strong])).to.equal('insufficient_scope');
    expect(await order([weak, { ...strong, expires_at: time(now - 1) }])).to.equal('prn_2');
    expect(await order([weak, { ...strong, expires_at: time(now) }])).to.equal('prn_2');
    expect(await order([weak, { ...strong, expires_at: time(now + 1) }])).to.equal('insufficient_scope');
    expect(await order([weak, { ...strong, revoked_at: time(now - 1) }])).to.equal('prn_2');
  });

  it('is, when none is live, whoever holds the scopes of all it ever had', async () => {
    const ended = [{ revoked_at: time(now - 1) }, { expires_at: time(now) }];
    for (const end of ended) {
      expect(await order([{ ...weak, ...end }])).to.equal('prn_2');
      expect(
        await order([
          { ...weak, ...end },
          { ...strong, ...end },
        ]),
      ).to.equal('insufficient_scope');
    }
  });
});

describe('the end of a key', () => {
  it('lies in the future', async () => {
    expect(await order([weak], { expires_at: time(now + 1) })).to.equal('prn_2');
    for (const ms of [now, now - 1]) expect(await order([weak], { expires_at: time(ms) })).to.equal('invalid_body');
  });
});
