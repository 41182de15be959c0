import { expect } from 'chai';
import type pg from 'pg';
import { ConfigError } from '../../../../kernel/error.ts';
import { openIdentity } from '../../../../plugins/postgres/tables/identity.ts';
import { whileOthersWait } from '../../../../plugins/postgres/tables/migration.ts';
import { openSession, type Session } from '../../../../plugins/postgres/connection/session.ts';
import { usePostgres } from '../../../helpers/use-postgres.ts';

describe('the program that opens a database', function () {
  this.timeout(60_000);
  const server = usePostgres();
  let admin: pg.Client;
  let session: Session;
  before(async () => {
    admin = await server.client('identity');
    session = await openSession(server.address('identity'));
  });
  after(() => session?.close());

  const open = (version: string) =>
    whileOthersWait(session, () =>
      openIdentity(session, { masterKey: Buffer.alloc(32), now: 0, newInstallation: () => 'ins_1', version }),
    );
  const least = async () =>
    (await admin.query<{ min_program: string }>('SELECT min_program FROM kernel_installation')).rows[0]?.min_program;

  it('is refused when newer ones have left what it cannot serve, and says which is needed', async () => {
    await open('0.2.0');
    expect(await least()).to.equal('0.2.0');
    await admin.query(`UPDATE kernel_installation SET min_program = '0.9.0'`);
    for (const version of ['0.8.9', '0.9.0-rc.1']) {
      const refused = await open(version).catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(ConfigError);
      expect((refused as Error).message).to.contain(`needs the program 0.9.0 or newer, and this one is ${version}`);
    }
    await open('0.10.0');
    expect(await least()).to.equal('0.9.0');
  });
});
