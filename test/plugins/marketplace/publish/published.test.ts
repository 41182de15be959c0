import { expect } from 'chai';
import { createSerial, type Decision, type Operation, type Principal } from '../../../../kernel/index.ts';
import type { NamespaceGrant } from '../../../../plugins/ledger/contract.ts';
import type { Entry, Listing } from '../../../../plugins/marketplace/listing.ts';
import type { PublishBody } from '../../../../plugins/marketplace/publish/publish-request.ts';
import { publish, rehearse } from '../../../../plugins/marketplace/publish/publisher.ts';
import type { MarketScope } from '../../../../plugins/marketplace/scope.ts';
import { storeAlone } from '../alone.ts';
import { entryOf } from '../listing/entries.ts';
import { manifestOf } from '../orbs.ts';
import type { Orb } from '../../../../plugins/runtime/contract.ts';

const orb_id = 'acme.tool@1.0.0';
const at = '2026-11-20T00:00:00.000Z';
type Question = Parameters<MarketScope['platform']['decide']>[0];
type Attested = Readonly<Record<'fact', { readonly facts: Readonly<Record<string, unknown>> }>>;

/** What is there before. */
interface World {
  readonly before?: readonly Listing[];
  readonly manifest?: object;
  readonly owners?: Readonly<Record<string, string>>;
  readonly decision?: Partial<Decision>;
  readonly signed?: boolean;
}

/** A market in memory, in which the Orb acme.tool@1.0.0 is known and policy allows. */
function create({ before = [], manifest = {}, owners = {}, decision = {}, signed = false }: World = {}) {
  const listings = new Map(before.map((listing) => [listing.orb_id, listing]));
  const log = { asked: [] as Question[], attested: [] as Attested[], written: [] as Operation[] };
  const orb = { orb_id, namespace: 'acme', name: 'tool', version: '1.0.0', digest: 'sha256:1' };
  const grantOf = (namespace: string) =>
    ({ namespace, state: 'granted', owner: { tenant: owners[namespace] ?? namespace } }) as NamespaceGrant;
  const entry = (listing: Listing): Entry => ({ ...entryOf(listing.orb_id), listing });
  const parts = {
    serial: createSerial(),
    clock: { now: () => Date.parse(at) },
    store: {
      ...storeAlone,
      write: (operations: readonly Operation[]) => Promise.resolve(log.written.push(...operations)),
    },
    platform: {
      catalog: { orbs: new Map([[orb_id, { ...orb, manifest: manifestOf(orb_id, manifest) } as unknown as Orb]]) },
      keepManifest: () => [],
      decide: (question: Question) => {
        log.asked.push(question);
        return Promise.resolve({ allow: true, ...decision });
      },
      attest({ operations, ...attested }: Attested & { operations(id: string): readonly Operation[] }) {
        log.attested.push(attested);
        for (const operation of operations('rec_9')) {
          log.written.push(operation);
          if (operation.name === 'put') listings.set(orb_id, operation.args as Listing);
        }
        return Promise.resolve({ receipt_id: 'rec_9' });
      },
    },
    reputation: {
      settled: () => Promise.resolve(),
      namespace: grantOf,
      get: () => entryOf(orb_id, { tier: 'gold', score: 91, reputation: { manifest_signed: true } }).reputation,
      manifest: () => ({ signed }),
      offerSignature: () => Promise.resolve({ signed }),
      snapshot: () => ({ day: '2026-11-19' }),
    },
    listings: {
      changed: () => undefined,
      now: () => ({ all: new Map([...listings].map(([id, listing]) => [id, entry(listing)])) }),
      find: (id: string) => {
        const listing = listings.get(id);
        return listing && entry(listing);
      },
      entryOf: entry,
    },
  };
  const scope = { ...parts, runtime: parts.platform } as unknown as MarketScope;
  const asking = (body: Partial<PublishBody> = {}, scopes: readonly string[] = []) => {
    const principal: Principal = { id: 'prn_1', key_id: 'key_1', tenant: 'acme', mode: 'live', scopes: [...scopes] };
    return { body: { orb_id, ...body }, principal, client_ip: '127.0.0.1' };
  };
  const kept = ({ status }: { readonly status: number }) => [{ name: 'kept', args: status } as unknown as Operation];
  return {
    scope,
    log,
    listings,
    asking,
    kept,
    publish: (body?: Partial<PublishBody>, scopes?: readonly string[]) => publish(asking(body, scopes), scope, kept),
  };
}
const fault = (promise: Promise<unknown>): Promise<readonly unknown[]> =>
  promise.then(
    () => ['published'],
    ({ code, extensions: { errors = [] } = {} }: { code: string; extensions?: { errors?: { pointer: string }[] } }) => [
      code,
      ...errors.map(({ pointer }) => pointer),
    ],
  );

describe('a publication', () => {
  it('is a new listing of what the manifest says, attested with the decision, and kept with the answer', async () => {
    const record = (committed: object) => ({ name: 'decide', args: committed }) as unknown as Operation;
    const { publish: go, log, listings } = create({ decision: { decision_id: 'dec_1', record }, signed: true });
    const { status, entry } = await go();
    expect([status, entry.listing]).to.deep.equal([201, listings.get(orb_id)]);
    expect(entry.listing).to.deep.equal({
      ...{ title: `Title of ${orb_id}`, description: `What ${orb_id} does.`, readme: '', category: 'echo', tags: [] },
      ...{ manifest_digest: 'sha256:1', manifest_signed: true, orb_id, namespace: 'acme', name: 'tool' },
      ...{ version: '1.0.0', status: 'active', published_at: at, updated_at: at, listed_at: at },
      ...{ published_after: '2026-11-19', listed_after: '2026-11-19', receipt_id: 'rec_9', revision: 1 },
    });
    expect(log.attested[0]?.fact).to.deep.include({
      facts: { change: 'published', principal: 'prn_1', manifest_digest: 'sha256:1', manifest_signed: true },
    });
    expect(log.written.map(({ name, args }) => [name, name === 'put' ? 'the listing' : args])).to.deep.equal([
      ['compared', { listings: 0 }],
      ['put', 'the listing'],
      ['kept', 201],
      ['decide', { receipt_id: 'rec_9' }],
    ]);
  });

  it('keeps what was said before and is not said again', async () => {
    const said = { title: 'A', description: 'B', readme: 'C', category: 'd', tags: ['e'] };
    const links = { homepage: 'https://acme.example', license: 'MIT' };
    const { publish: go } = create({ manifest: { license: 'ISC' } });
    expect((await go()).entry.listing)
      .to.include({ license: 'ISC' })
      .and.to.not.have.property('homepage');
    expect((await go({ listing: { ...said, ...links } })).entry.listing).to.deep.include({ ...said, ...links });
    const { entry, status } = await go({ listing: { title: 'Z' } });
    expect(status).to.equal(200);
    expect(entry.listing).to.deep.include({ ...said, ...links, title: 'Z', revision: 3, published_at: at });
    expect((await go({ listing: { tags: ['f'] } })).entry.listing).to.deep.include({ title: 'Z', tags: ['f'] });
  });

  it('of what is published already changes nothing, but answers', async () => {
    const { publish: go, log } = create();
    const first = await go();
    log.written.length = 0;
    const { status, entry } = await go();
    expect([status, entry.listing, log.attested.length]).to.deep.equal([200, first.entry.listing, 1]);
    expect(log.written.map(({ args }) => args)).to.deep.equal([200]);
  });

  it('of a deprecated version is attested as deprecated again', async () => {
    const { publish: go, listings, log } = create();
    const { entry } = await go();
    listings.set(orb_id, { ...entry.listing, status: 'deprecated', status_message: 'Old.' });
    await go({ listing: { title: 'Z' } });
    const facts = { change: 'deprecated', reason: 'Old.', principal: 'prn_1' };
    expect(log.attested.at(-1)?.fact.facts).to.deep.equal(facts);
  });

  it('asks policy with what is known of the Orb and of the newest version before it', async () => {
    const older = ['0.9.0', '0.10.0'].map((version) => entryOf(`acme.tool@${version}`).listing);
    const { publish: go, log } = create({ before: [...older, entryOf('acme.other@5.0.0').listing] });
    await go();
    expect(log.asked[0]).to.deep.include({
      ...{ action: 'publish', orb_id, client_ip: '127.0.0.1' },
      standing: { tier: 'gold', state: 'active', score: 91, signed: true, is_self: true },
      context: { publish: { previous_version: '0.10.0', namespace_tenant: 'acme' } },
    });
    const first = create();
    await first.publish();
    expect(first.log.asked[0]?.context).to.deep.equal({ publish: { namespace_tenant: 'acme' } });
  });

  it('is refused of an unknown Orb, of a version that is over, and of another manifest than was published', async () => {
    const published = entryOf(orb_id, { manifest_digest: 'sha256:1' }).listing;
    expect(await fault(create().publish({ orb_id: 'acme.gone@1.0.0' }))).to.deep.equal(['orb_not_found']);
    for (const status of ['yanked', 'removed'] as const)
      expect(await fault(create({ before: [{ ...published, status }] }).publish())).to.deep.equal([
        'version_published',
      ]);
    const changed = { ...published, manifest_digest: 'sha256:0' };
    expect(await fault(create({ before: [changed] }).publish())).to.deep.equal(['version_published']);
    const world = create({ before: [published] });
    expect(await fault(world.publish({ manifest_digest: 'sha256:2' }))).to.deep.equal(['version_published']);
    expect(await fault(world.publish({ manifest_digest: 'sha256:1' }))).to.deep.equal(['published']);
    expect(await fault(create().publish({ manifest_digest: 'sha256:2' }))).to.deep.equal([
      ...['listing_invalid', '#/manifest_digest'],
    ]);
  });

  it('is refused under a name that could be taken for that of another tenant, unless the operator allows it', async () => {
    const alike = entryOf('acrne.tool@1.0.0', { status: 'removed' }).listing;
    const foreign: World = { before: [alike] };
    const allow = { allow_confusable_name: true };
    expect(await fault(create(foreign).publish())).to.deep.equal(['listing_invalid', '#/orb_id']);
    expect(await fault(create(foreign).publish(allow))).to.deep.equal(['listing_invalid', '#/orb_id']);
    expect(await fault(create(foreign).publish({}, ['*']))).to.deep.equal(['listing_invalid', '#/orb_id']);
    expect(await fault(create(foreign).publish(allow, ['*']))).to.deep.equal(['published']);
    expect(await fault(create({ ...foreign, owners: { acrne: 'acme' } }).publish()), 'its own').to.deep.equal([
      'published',
    ]);
    const known = entryOf(orb_id, { manifest_digest: 'sha256:1' }).listing;
    expect(await fault(create({ before: [alike, known] }).publish()), 'there already').to.deep.equal(['published']);
  });

  it('is rehearsed without anything being written', async () => {
    const { scope, log, asking, listings } = create();
    const signature = { payloadType: '', payload: '', signatures: [] };
    expect((await rehearse(asking(), scope)).entry).to.deep.include({ signed: false });
    expect(await fault(rehearse(asking({ signature }), scope))).to.deep.equal(['listing_invalid', '#/signature']);
    expect((await rehearse(asking({ listing: { title: 'Z' } }), scope)).entry.listing.title).to.equal('Z');
    expect([log.attested, log.written, listings.size]).to.deep.equal([[], [], 0]);
    const signed = create({ signed: true });
    expect((await rehearse(signed.asking(), signed.scope)).entry).to.deep.include({ signed: true });
  });
});
