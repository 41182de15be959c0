import { expect } from 'chai';
import type { PublicKey } from '../../../../../plugins/receipts/format/jwk.ts';
import { createCertificateSigner, createKeyState } from '../../../../../plugins/receipts/keys/service/state.ts';

const key = (kid: string, more: Partial<PublicKey> = {}): PublicKey => ({
  ...{ kid, role: 'receipt', status: 'active', public_key: new Uint8Array(32), created_at: 0 },
  ...more,
});

describe('the keys as the main thread knows them', () => {
  let keys: PublicKey[];
  let origins: string[];
  let frozen: Set<string>;
  let shared: boolean;
  /** Holds each read of the keys until it is called; undefined: they are read at once. */
  let answers: (() => void)[] | undefined;
  const state = () => {
    const logs = () =>
      origins.map((origin, log) => ({ log, origin, status: frozen.has(origin) ? 'frozen' : 'active' }));
    const owners = () =>
      origins.map((origin, log) => ({ log, node: origin === 'orb/2' ? 'other' : 'mine', incarnation: '1' }));
    const keyState = () => {
      const found = { keys, logs: logs(), owners: owners() };
      const { promise, resolve } = Promise.withResolvers<typeof found>();
      answers?.push(() => resolve(found));
      return answers === undefined ? found : promise;
    };
    const reads = { keyState } as unknown as Parameters<typeof createKeyState>[0];
    return createKeyState(reads, {
      installation: 'ins_1',
      version: '1.0.0',
      node: { name: 'mine', incarnation: '1', shared },
    });
  };
  const refused = async (): Promise<string> => String(await state().catch((error: unknown) => error));
  beforeEach(() => {
    keys = [
      ...[key('old', { status: 'retired' }), key('bad', { status: 'revoked' }), key('log', { role: 'log' })],
      ...[key('certificate', { role: 'certificate' }), key('now')],
    ];
    origins = ['orb/0', 'orb/1', 'orb/2'];
    frozen = new Set(['orb/0']);
    [shared, answers] = [false, undefined];
  });

  it('issue with the receipt key that is active, into the active log of this process', async () => {
    expect((await state()).issuer).to.deep.equal({
      installation: 'ins_1',
      version: '1.0.0',
      kid: 'now',
      origin: 'orb/1',
    });
  });

  it('are not known without a receipt key that is active, nor without a log', async () => {
    origins = [];
    expect(await refused()).to.include('the store has no log of the node mine');
    keys.pop();
    expect(await refused()).to.include('the store has no active receipt key');
  });

  it('issue into a log that the first entry opens, where the store is shared and this process has none', async () => {
    [shared, origins] = [true, ['orb/2']];
    const held = await state();
    expect([held.hasLog, held.issuer.origin]).to.deep.equal([false, 'ins_1.orb/receipts/0']);
    origins = ['orb/2', 'orb/1'];
    await held.refresh();
    expect([held.hasLog, held.issuer.origin]).to.deep.equal([true, 'orb/1']);
  });

  it('are new for each who asked, when several ask at once', async () => {
    const held = await state();
    answers = [];
    keys = [...keys.slice(0, -1), key('now', { status: 'retired' }), key('next')];
    const seen: string[] = [];
    const asking = [1, 2].map(() => held.refresh().then(() => seen.push(held.issuer.kid)));
    answers[0]?.();
    await new Promise(setImmediate);
    expect(seen, 'the later one is not read yet').to.deep.equal([]);
    answers[1]?.();
    await Promise.all(asking);
    expect(seen).to.deep.equal(['next', 'next']);
  });

  it('follow a change once they are read again, with another version: whoever holds a member sees it', async () => {
    const held = await state();
    const { trust, published } = held;
    const before = held.version();
    expect([(await state()).version(), trust.keys.length, published.keys.length]).to.deep.equal([before, 5, 5]);
    keys = [...keys.slice(0, -1), key('now', { status: 'retired' }), key('next')];
    origins.push('orb/3');
    frozen.add('orb/1');
    expect([held.issuer.kid, held.version()]).to.deep.equal(['now', before]);
    await held.refresh();
    expect([held.issuer.kid, held.issuer.origin]).to.deep.equal(['next', 'orb/3']);
    expect([held.keys().length, trust.keys.length, published.keys.length]).to.deep.equal([6, 6, 6]);
    expect(held.version()).not.to.equal(before);
  });

  it('tell of a certificate key from where on it is revoked, and what of it stands in other logs', async () => {
    const [since, revoked_at] = [5, 9].map((index) => ({ origin: 'orb/1', index }));
    const stands = [{ origin: 'orb/2', index: 7 }];
    const places = { ...(since && { since }), ...(revoked_at && { revoked_at }), stands };
    keys = [key('now'), key('stolen', { role: 'certificate', status: 'revoked', ...places })];
    const signer = createCertificateSigner(
      { write: () => Promise.reject(new Error('nothing is signed')) },
      await state(),
    );
    expect(signer.keys()).to.deep.equal([
      { kid: 'stolen', public_key: new Uint8Array(32), status: 'revoked', ...places },
    ]);
  });
});
