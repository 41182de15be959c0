import { expect } from 'chai';
import type { PlatformError } from '../../../../kernel/index.ts';
import { canonical, type Route } from '../../../../kernel/index.ts';
import { createOrb, type Orb } from '../../../../plugins/runtime/catalog/orb.ts';
import type { OrbChanges } from '../../../../plugins/runtime/manifests/orb-changes.ts';
import { orbRoutes } from '../../../../plugins/runtime/manifests/orb-routes.ts';
import { Shelf } from '../../../../plugins/runtime/manifests/shelf.ts';
import { recordOrb } from '../../../helpers/recorder.ts';
import { rejection } from '../../../helpers/stores/open.ts';

const orb_id = 'test.record@1.0.0';

describe('the manifest of an Orb that is put', () => {
  const put: Orb[] = [];
  const changes = { put: async (orb: Orb) => put.push(orb) > 0 } as unknown as OrbChanges;
  const shelf = new Shelf<Orb>(new Map());
  const route =
    orbRoutes(shelf, changes, () => true).find(({ method }) => method === 'PUT') ?? expect.fail('no such route');
  const send = async (body: object, id = orb_id) =>
    route.handle({ params: { orb_id: id }, body, principal: {}, headers: {} } as unknown as Parameters<
      Route['handle']
    >[0]);
  /** A manifest of so many bytes in canonical form. */
  const sized = (bytes: number): object => {
    const of = (length: number) => recordOrb({ inputs_schema: { type: 'object', description: 'x'.repeat(length) } });
    return of(bytes - Buffer.byteLength(canonical(of(0))));
  };
  beforeEach(() => void put.splice(0));

  it('may have 65,536 bytes in canonical form, and not one more', async () => {
    expect(await send(sized(65_536))).to.have.property('status', 201);
    const error = (await rejection(send(sized(65_537)))) as PlatformError;
    expect([error.code, error.extensions['errors']]).to.deep.equal([
      'invalid_body',
      [{ pointer: '#', detail: 'the manifest has 65537 bytes; the limit is 65536' }],
    ]);
    expect(put).to.have.length(1);
  });

  it('has the id of the path', async () => {
    const error = (await rejection(send(recordOrb(), 'test.other@1.0.0'))) as PlatformError;
    expect(error.extensions['errors']).to.deep.equal([
      { pointer: '#/orb_id', detail: 'must be test.other@1.0.0, as in the path' },
    ]);
    expect(put).to.deep.equal([]);
  });
});

describe('the shelf of manifests', () => {
  const named = (id: string): Orb => createOrb(recordOrb({ orb_id: id }), []) ?? expect.fail(id);
  const ids = ['a.a@1.0.0', 'b.b@1.0.0', 'c.c@1.0.0'] as const;
  const shelf = () => new Shelf(new Map([ids[2], ids[0]].map((id) => [id as string, named(id)])));
  const page = (of: Shelf<Orb>, ...asked: Parameters<Shelf<Orb>['page']>) => of.page(...asked).map((orb) => orb.orb_id);

  it('lists what it has by id, after an id, and no more than was asked for', () => {
    const of = shelf();
    of.put(ids[1], named(ids[1]));
    expect(page(of, undefined, 9)).to.deep.equal(ids);
    expect(page(of, ids[0], 9)).to.deep.equal([ids[1], ids[2]]);
    expect(page(of, undefined, 2)).to.deep.equal([ids[0], ids[1]]);
    expect(page(of, undefined, 1, (orb) => orb.orb_id > ids[0])).to.deep.equal([ids[1]]);
  });

  it('lists what was put and taken away since it was last asked', () => {
    const of = shelf();
    expect(page(of, undefined, 9)).to.deep.equal([ids[0], ids[2]]);
    of.put(ids[1], named(ids[1]));
    expect([page(of, undefined, 9), of.isFile(ids[0]), of.isFile(ids[1])]).to.deep.equal([[...ids], true, false]);
    of.remove(ids[0]);
    expect([page(of, undefined, 9), of.items.has(ids[0])]).to.deep.equal([[ids[1], ids[2]], false]);
  });
});
