import Driver from 'better-sqlite3';
import { expect } from 'chai';
import type { Connection, Value } from '../../../../../kernel/index.ts';
import {
  certificateStore,
  type Mark,
  type NewCertificate,
} from '../../../../../plugins/ledger/certificate/issue/tables.ts';

const at = '2026-11-21T00:00:00.000Z';

describe('the status of a certificate that is kept', () => {
  let driver: Driver.Database;
  let operations: ReturnType<typeof certificateStore.write>['operations'];
  let reads: ReturnType<typeof certificateStore.read>;
  beforeEach(() => {
    driver = new Driver(':memory:');
    for (const migration of certificateStore.migrations) driver.exec(migration);
    const connection: Connection = {
      prepare(sql) {
        const statement = driver.prepare<Value[], Record<string, Value>>(sql);
        return {
          run: (...values) => statement.run(...values).changes,
          get: (...values) => statement.get(...values),
          all: (...values) => statement.all(...values),
        };
      },
    };
    // The connection is all that it takes of the writer.
    ({ operations } = certificateStore.write({ connection } as Parameters<typeof certificateStore.write>[0]));
    reads = certificateStore.read(connection);
    operations.certificateIssued(certificate('crt_1', 5));
    operations.certificateIssued(certificate('crt_2', 6));
  });
  afterEach(() => driver.close());

  const certificate = (id: string, index: number): NewCertificate => ({
    ...{ id, orb_id: 'a.b@1.0.0', tier: 'gold', kid: 'k1', valid_from: at, valid_until: at, document: {}, at },
    ...{ reason: 'first', entries: { revocation: { list: 1, index }, suspension: { list: 2, index } } },
  });
  const mark = (change: Mark['change'], id = 'crt_1'): boolean =>
    operations.certificateMarked({ id, change, at, reason: 'x' });
  const changes = () =>
    driver
      .prepare("SELECT change FROM ledger_certificate_changes WHERE certificate = 'crt_1' ORDER BY number")
      .pluck()
      .all();

  it('is changed once: to suspend, lift or revoke again what is so already is no change, and is not written down', () => {
    expect([mark('lift'), mark('suspend'), mark('suspend'), mark('lift'), mark('lift')]).to.deep.equal([
      ...[false, true, false, true, false],
    ]);
    expect([mark('revoke'), mark('revoke')]).to.deep.equal([true, false]);
    expect(changes()).to.deep.equal(['issue', 'suspend', 'lift', 'revoke']);
    expect(mark('suspend', 'crt_0')).to.equal(false);
  });

  it('sets its own bit in the list of that purpose alone', () => {
    mark('suspend');
    expect([reads.set(1), reads.set(2)]).to.deep.equal([[], [5]]);
    mark('lift');
    mark('revoke');
    mark('suspend', 'crt_2');
    expect([reads.set(1), reads.set(2)]).to.deep.equal([[5], [6]]);
    expect(reads.find('crt_1')).to.include({ revoked: true, suspended: false });
    expect(reads.open('a.b@1.0.0').map(({ id }) => id)).to.deep.equal(['crt_2']);
  });
});
