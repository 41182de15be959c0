import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Driver from 'better-sqlite3';
import { expect } from 'chai';
import type { Receipt, Reply } from '../../../kernel/index.ts';
import type { ReceiptDocument } from '../../../plugins/receipts/contract.ts';
import type { KeySet } from '../../../plugins/receipts/jwk.ts';
import type { OtherStatement } from '../../../plugins/receipts/kinds/kind.ts';
import { parsePolicy } from '../../../plugins/receipts/log/policy-file.ts';
import { parseCheckpoint } from '../../../plugins/receipts/log/checkpoint.ts';
import { openNote, parseNote } from '../../../plugins/receipts/log/note.ts';
import { parseVkey } from '../../../plugins/receipts/log/vkey.ts';
import { verifySignature } from '../../../plugins/receipts/ed25519.ts';
import { readTrust } from '../../../plugins/receipts/verifier/trust.ts';
import { verify } from '../../../plugins/receipts/verifier/verify.ts';
import { newRun, startReceipts, temporaryDir, type Harness } from './harness.ts';
import { operator, revoke, rotate, type Changed } from './signing-keys.ts';

describe('the signing keys', () => {
  let dir: ReturnType<typeof temporaryDir>;
  let receipts: Harness;
  beforeEach(async () => {
    dir = temporaryDir();
    receipts = await startReceipts(dir.path);
  });
  afterEach(async () => {
    await receipts.stop();
    dir.remove();
  });

  const attest = (count: number, orbiset = 'default'): Promise<Receipt[]> =>
    Promise.all(Array.from({ length: count }, () => receipts.attest(newRun(orbiset))));
  const read = async (id: string): Promise<ReceiptDocument> =>
    (await receipts.call(
      '/receipts/{receipt_id}',
      { receipt_id: id },
      { tenant: 'default', scopes: ['*'] },
    )) as ReceiptDocument;
  const trust = () => readTrust(readFileSync(join(dir.path, 'jwks.json'), 'utf8')) ?? { keys: [] };
  const offline = async (id: string) => verify(JSON.stringify(await read(id)), trust());
  const facts = async (id: string) => ((await read(id)).statement as OtherStatement).predicate;
  const listed = async () =>
    (
      (await receipts.call('/signing-keys', {}, operator)) as {
        keys: { kid: string; role: string; status: string; revoked_at?: object }[];
      }
    ).keys;
  const active = async (role: string) =>
    (await listed()).find((key) => key.role === role && key.status === 'active')?.kid ?? '';
  const text = async (path: string, params = {}) => String(((await receipts.call(path, params)) as Reply).body);
  const refusal = (promise: Promise<unknown>) =>
    promise.then(
      () => 'no refusal',
      (error: unknown) => (error as { code: string }).code,
    );
  const restart = async () => {
    await receipts.stop();
    receipts = await startReceipts(dir.path);
  };

  /** Keeps attesting until told to stop; answers every receipt that was acknowledged. */
  function underLoad(): () => Promise<Receipt[]> {
    let on = true;
    const done = Promise.all(
      Array.from({ length: 24 }, async (_, at) => {
        const made: Receipt[] = [];
        while (on) made.push(await receipts.attest(newRun(`o${at % 3}`)));
        return made;
      }),
    );
    return async () => {
      on = false;
      return (await done).flat();
    };
  }

  function chainIsWhole(): void {
    const database = new Driver(join(dir.path, 'store.db'), { readonly: true });
    const rows = database
      .prepare(
        'SELECT orbiset_id, origin, sequence, digest, payload FROM receipts_receipts WHERE sequence IS NOT NULL ORDER BY rowid',
      )
      .all() as { orbiset_id: string; origin: string; sequence: number; digest: string; payload: Buffer }[];
    database.close();
    const heads = new Map<string, { sequence: number; digest: string }>();
    for (const { digest, orbiset_id, origin, payload, sequence } of rows) {
      const { predicate } = JSON.parse(payload.toString()) as { predicate: { previous_digest?: string } };
      const head = heads.get(`${origin} ${orbiset_id}`);
      expect(sequence).to.equal((head?.sequence ?? 0) + 1);
      expect(predicate.previous_digest).to.equal(head?.digest);
      heads.set(`${origin} ${orbiset_id}`, { sequence, digest });
    }
  }

  describe('of receipts', () => {
    it('are rotated by an entry that the old key signs and that names the new one, before the new one signs', async () => {
      const old = await active('receipt');
      const [before] = await attest(1);
      const made = await rotate(receipts, 'receipt', 'a yearly custom');
      const [after] = await attest(1);
      expect(made).to.include({ role: 'receipt', previous_kid: old }).and.property('kid').not.equal(old);
      const predicate = await facts(made.receipt_id);
      expect(predicate).to.deep.include({ kid: made.kid });
      expect(predicate.issuer.kid).to.equal(old);
      expect(predicate.facts).to.include({
        role: 'receipt',
        change: 'rotated',
        previous_kid: old,
        reason: 'a yearly custom',
        principal: operator.id,
      });
      expect((await facts(before?.receipt_id ?? '')).issuer.kid).to.equal(old);
      expect((await facts(after?.receipt_id ?? '')).issuer.kid).to.equal(made.kid);
      for (const id of [before?.receipt_id, made.receipt_id, after?.receipt_id])
        expect((await offline(id ?? '')).overall).to.equal('VERIFIED');
      await restart();
      expect(await active('receipt')).to.equal(made.kid);
      for (const id of [before?.receipt_id, made.receipt_id, after?.receipt_id])
        expect((await offline(id ?? '')).overall).to.equal('VERIFIED');
      const { keys } = (await receipts.call('/.well-known/jwks.json', {})) as KeySet;
      expect(keys.filter(({ role }) => role === 'receipt').map(({ status }) => status)).to.have.members([
        'retired',
        'active',
      ]);
    });

    it('are rotated under load: nothing is lost, every receipt verifies under the key it names, every chain is whole', async () => {
      const stop = underLoad();
      const made: Changed[] = [];
      for (let round = 0; round < 5; round++) {
        made.push(await rotate(receipts, 'receipt'));
        await attest(3);
      }
      const all = await stop();
      expect(new Set(made.map(({ kid }) => kid)).size).to.equal(5);
      const kids = new Set<string>();
      for (const { receipt_id: id, signature_valid: valid } of all) {
        expect(valid).to.equal(true);
        const document = await read(id);
        expect(document.signature_valid, JSON.stringify(document.checks)).to.equal(true);
        kids.add((document.statement as OtherStatement).predicate.issuer.kid);
      }
      expect(kids.size).to.be.greaterThan(1);
      chainIsWhole();
    }).timeout(60_000);

    it('sign what was drafted under the old key and log and came after the change, under the new ones', async () => {
      const old = await active('receipt');
      // Nothing else is on its way, or the changes and the runs would travel together.
      while (receipts.store.outstanding() > 0) await new Promise((resolve) => setImmediate(resolve));
      const changing = Promise.all([rotate(receipts, 'receipt'), rotate(receipts, 'log')]);
      // The changes are on their way to the writer; nothing on this side has heard of them.
      await new Promise((resolve) => setImmediate(resolve));
      const late = attest(3, 'late');
      const [key, log] = await changing;
      for (const { receipt_id: id } of await late) {
        const predicate = await facts(id);
        expect(predicate.issuer.kid).to.equal(key.kid).and.not.equal(old);
        expect(predicate.log.origin).to.equal(log.origin);
        expect((await offline(id)).overall).to.equal('VERIFIED');
      }
      chainIsWhole();
    });

    it('are revoked from a position on by their successor: receipts before it stand, those from it on do not', async () => {
      const old = await active('receipt');
      const [first, , third] = [(await attest(1))[0], (await attest(1))[0], (await attest(1))[0]];
      const place = (await read(third?.receipt_id ?? '')).proof;
      const from = { origin: place?.origin ?? '', index: place?.index ?? 0 };
      const made = await revoke(receipts, old, 'the seed was shown', from);
      const [after] = await attest(1);
      expect(made).to.deep.include({ role: 'receipt', kid: old, from, successor_kid: await active('receipt') });
      const predicate = await facts(made.receipt_id);
      expect(predicate.issuer.kid).to.equal(made.successor_kid);
      expect(predicate.facts).to.deep.include({ change: 'revoked', from, reason: 'the seed was shown' });
      const check = async (id = '') => {
        const report = await offline(id);
        return [report.exit, (await read(id)).signature_valid];
      };
      expect(await check(first?.receipt_id)).to.deep.equal([0, true]);
      expect(await check(third?.receipt_id)).to.deep.equal([4, false]);
      expect(await check(made.receipt_id)).to.deep.equal([0, true]);
      expect(await check(after?.receipt_id)).to.deep.equal([0, true]);
      // The successor speaks for itself: the word of a revoked key would count for nothing.
      const database = new Driver(join(dir.path, 'store.db'), { readonly: true });
      const { receipt_id: id } = database
        .prepare('SELECT receipt_id FROM receipts_receipts WHERE idx = ?')
        .get(made.position.index - 1) as { receipt_id: string };
      database.close();
      expect((await facts(id)).facts).to.include({ change: 'created', previous_kid: old });
      expect(await check(id)).to.deep.equal([0, true]);
      await restart();
      expect(await check(first?.receipt_id)).to.deep.equal([0, true]);
      expect(await check(third?.receipt_id)).to.deep.equal([4, false]);
    });

    it('are revoked, when retired, where the revocation stands unless a position is named', async () => {
      const old = await active('receipt');
      const [before] = await attest(1);
      const rotated = await rotate(receipts, 'receipt');
      const made = await revoke(receipts, old, 'kept too long');
      expect(made.from).to.deep.equal(made.position);
      expect(made.successor_kid).to.equal(rotated.kid);
      for (const id of [before?.receipt_id, rotated.receipt_id, made.receipt_id])
        expect((await offline(id ?? '')).exit).to.equal(0);
    });

    it('are not revoked twice, from nowhere, or when unknown; two at once revoke once', async () => {
      const old = await active('receipt');
      const both = await Promise.all([1, 2].map(() => refusal(revoke(receipts, old, 'twice'))));
      expect(both.sort()).to.deep.equal(['no refusal', 'signing_key_conflict']);
      expect(await refusal(revoke(receipts, old, 'thrice'))).to.equal('signing_key_conflict');
      expect(await refusal(revoke(receipts, 'A'.repeat(43), 'unknown'))).to.equal('key_not_found');
      const next = await active('receipt');
      const { origin } = (await revoke(receipts, next, 'again')).position;
      const now = await active('receipt');
      for (const from of [
        { origin, index: 10_000 },
        { origin: `${origin}9`, index: 0 },
      ])
        expect(await refusal(revoke(receipts, now, 'nowhere', from))).to.equal('invalid_body');
      expect(await refusal(revoke(receipts, await active('log'), 'a log key'))).to.equal('signing_key_conflict');
      expect((await listed()).filter(({ role }) => role === 'receipt').map(({ status }) => status)).to.deep.equal([
        'revoked',
        'revoked',
        'active',
      ]);
    });

    it('change in any order and at once, and leave one active key of each role', async () => {
      const stop = underLoad();
      const roles = ['receipt', 'log', 'certificate'];
      await Promise.all(Array.from({ length: 9 }, (_, at) => rotate(receipts, roles[at % 3] ?? '')));
      await revoke(receipts, await active('receipt'), 'at once');
      const all = await stop();
      const keys = await listed();
      for (const role of roles)
        expect(keys.filter((key) => key.role === role && key.status === 'active')).to.have.length(1);
      for (const { receipt_id: id } of all) expect((await read(id)).signature_valid).to.equal(true);
      chainIsWhole();
      await restart();
      for (const { receipt_id: id } of all.slice(-3)) expect((await offline(id)).overall).to.equal('VERIFIED');
    }).timeout(60_000);
  });

  describe('of the log', () => {
    it('are rotated into a new shard: the last entry of the old one names it, its first carries the old checkpoint', async () => {
      await attest(2);
      const old = parseNote(await text('/log/checkpoint'));
      const [oldKey] = (await text('/log/vkey')).split('\n');
      const made = await rotate(receipts, 'log');
      await attest(2);
      const shardOf = (origin = '') => origin.split('/').at(-1);
      expect([shardOf(made.position.origin), shardOf(made.origin)]).to.deep.equal(['0', '1']);
      const last = await facts(made.receipt_id);
      const vkey = (await text('/log/vkey')).trim();
      expect(last.facts).to.include({ role: 'log', change: 'rotated', origin: made.origin, vkey });
      const final = await text('/log/{shard}/checkpoint', { shard: '0' });
      const signed = parseNote(final);
      expect(parseCheckpoint(signed?.text ?? '')?.size).to.equal(BigInt(made.position.index + 1));
      expect(openNote(signed ?? expect.fail(), [parseVkey(oldKey ?? '') ?? expect.fail()], verifySignature))
        .to.have.property('by')
        .of.length(1);
      expect(parseCheckpoint(old?.text ?? '')?.origin).to.equal(made.position.origin);
      const database = new Driver(join(dir.path, 'store.db'), { readonly: true });
      const { receipt_id: first } = database
        .prepare('SELECT receipt_id FROM receipts_receipts WHERE origin = ? AND idx = 0')
        .get(made.origin) as { receipt_id: string };
      database.close();
      const opening = await facts(first);
      expect(opening.facts).to.include({ role: 'log', change: 'created', previous_checkpoint: final, vkey });
      for (const id of [made.receipt_id, first]) expect((await offline(id)).overall).to.equal('VERIFIED');
    });

    it('are rotated under load: one trust file verifies both shards, chains begin at 1 again, the old shard takes nothing more', async () => {
      const stop = underLoad();
      await attest(5, 'o0');
      const policyBefore = await text('/log/policy');
      const made = await rotate(receipts, 'log');
      await attest(5, 'o0');
      const all = await stop();
      const policy = parsePolicy(await text('/log/policy')) ?? expect.fail('no policy');
      expect(policy.logs.map(({ name }) => name)).to.deep.equal([made.position.origin, made.origin]);
      const { keys } = trust();
      const origins = new Map<string, number>();
      for (const { receipt_id: id } of all) {
        const document = await read(id);
        expect(verify(JSON.stringify(document), { keys, policy }).overall).to.equal('VERIFIED');
        const { origin } = (document.statement as OtherStatement).predicate.log;
        origins.set(origin, (origins.get(origin) ?? 0) + 1);
        if (origin === made.position.origin) expect(document.proof?.tree_size).to.equal(made.position.index + 1);
        else
          expect(
            verify(JSON.stringify(document), { keys, policy: parsePolicy(policyBefore) ?? expect.fail() }).exit,
          ).to.equal(3);
      }
      expect([...origins.keys()].sort()).to.deep.equal([made.position.origin, made.origin].sort());
      chainIsWhole();
    }).timeout(60_000);

    it('leave the old shard frozen: its head cannot be moved any more, after a restart too', async () => {
      await attest(2);
      const made = await rotate(receipts, 'log');
      await restart();
      await attest(2);
      const database = new Driver(join(dir.path, 'store.db'), { readonly: true });
      const rows = database.prepare('SELECT shard, size, status FROM receipts_logs ORDER BY log').all();
      database.close();
      expect(rows).to.deep.equal([
        { shard: '0', size: made.position.index + 1, status: 'frozen' },
        { shard: '1', size: 3, status: 'active' },
      ]);
      expect((await rotate(receipts, 'log')).origin?.split('/').at(-1)).to.equal('2');
    });
  });
});
