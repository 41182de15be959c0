import { expect } from 'chai';
import { examineDatabase } from '../../../plugins/postgres/examination.ts';
import { readStoreAddress } from '../../../plugins/postgres/connection/address.ts';
import type { CommandCall } from '../../../kernel/index.ts';
import { usePostgres } from '../../helpers/use-postgres.ts';
import { engineModule } from '../../helpers/postgres.ts';

describe('orb doctor, of a store in PostgreSQL', function () {
  this.timeout(60_000);
  const server = usePostgres();
  const look = async (url: string) => {
    const address = { ...readStoreAddress(url, { insecure: true, readFile: () => '' }), module: engineModule };
    const call = { store: () => ({ stateDir: '/nowhere', address }) } as unknown as CommandCall;
    const found = await examineDatabase(call);
    return { states: Object.fromEntries(found.map(({ name, state }) => [name, state])), found };
  };

  it('finds a server that answers, what it promises, and how far its clock is from ours', async () => {
    const client = await server.client('sound');
    await client.query(`ALTER DATABASE sound SET synchronous_commit = 'on'`);
    const { found, states } = await look(server.url('sound'));
    // The server of the tests writes without fsync.
    expect(states).to.deep.equal({ store: 'ok', durability: 'fault', clock: 'ok' });
    expect(found[0]?.detail).to.match(/^PostgreSQL \d+/);
    expect(found[1]?.detail).to.equal('the server has fsync=off, synchronous_commit=on');
  });

  it('finds a database that keeps texts in another encoding', async () => {
    const client = await server.client('postgres');
    await client.query(`CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'`);
    const { found } = await look(server.url('latin'));
    expect(found[0]).to.include({ name: 'store', state: 'fault' });
    expect(found[0]?.remedy).to.include('createdb -T template0 -E UTF8');
  });

  it('says what to do when there is no server, and repeats no password', async () => {
    const { found } = await look('postgres://orb:xyzzy@127.0.0.1:1/orb');
    expect(found).to.have.length(1);
    expect(found[0]).to.include({ name: 'store', state: 'fault' });
    expect(found[0]?.remedy).to.include('ORB_STORE_URL');
    expect(JSON.stringify(found)).not.to.include('xyzzy');
  });
});
