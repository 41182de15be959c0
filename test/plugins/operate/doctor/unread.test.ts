import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ClientError, type Client } from '../../../../kernel/cli/command/client.ts';
import type { CommandCall, Finding } from '../../../../kernel/cli/command/command.ts';
import { checkServer } from '../../../../plugins/operate/doctor/server.ts';
import { checkLog, checkStore } from '../../../../plugins/operate/doctor/store.ts';
import { shippedInstallation } from '../../../helpers/command.ts';
import { engineModule } from '../../../helpers/postgres.ts';

describe('orb doctor, of what it could not read', () => {
  let stateDir: string;
  beforeEach(() => {
    stateDir = mkdtempSync(join(tmpdir(), 'orb-doctor-'));
  });
  afterEach(() => rmSync(stateDir, { recursive: true }));
  const withKeys = (): void => writeFileSync(join(stateDir, 'jwks.json'), '{"keys":[]}');
  const callWith = (more: Partial<CommandCall> = {}): CommandCall => ({
    ...{ args: [], options: {}, env: {}, facts: [], stateDir, installation: shippedInstallation() },
    store: () => ({ stateDir }),
    client: () => expect.fail('no server is asked'),
    print: () => undefined,
    note: () => undefined,
    ...more,
  });
  const remedies = (found: readonly Finding[]): string => found.map(({ remedy = '' }) => remedy).join();

  it('tells nobody to give up a store that it could not open', async () => {
    mkdirSync(join(stateDir, 'store.db'));
    withKeys();
    const found = [...(await checkStore(callWith())), ...(await checkLog(callWith()))];
    expect(found.map(({ name, state }) => [name, state])).to.deep.equal([
      ['store', 'fault'],
      ['log', 'warning'],
    ]);
    for (const { detail } of found) expect(detail).to.include('was not checked, because it cannot be read');
    expect(remedies(found)).not.to.match(/backup|Stop using/);
  });

  it('tells nobody to give up a database that is away', async () => {
    const shown = 'postgres://127.0.0.1:1/orb';
    const address = {
      shown,
      module: engineModule,
      connect: { host: '127.0.0.1', port: 1, user: 'orb', database: 'orb', ssl: false },
    } as const;
    const [unpinned] = await checkLog(callWith({ store: () => ({ stateDir, address }) }));
    expect(unpinned)
      .to.include({ name: 'log', state: 'warning' })
      .and.have.property('detail')
      .that.includes('keys file');
    withKeys();
    const [found] = await checkLog(callWith({ store: () => ({ stateDir, address }) }));
    expect(found).to.include({ name: 'log', state: 'warning' });
    expect(found?.detail).to.include('the database does not answer');
    expect(found?.remedy).not.to.include('Stop using');
  });

  it('says of a store whose file is damaged that it is to be put back', async () => {
    writeFileSync(join(stateDir, 'store.db'), 'this is no database, though it is long enough for a head. '.repeat(5));
    withKeys();
    const found = [...(await checkStore(callWith())), ...(await checkLog(callWith()))];
    expect(found.map(({ name, state }) => [name, state])).to.deep.equal([
      ['store', 'fault'],
      ['log', 'fault'],
    ]);
    expect(remedies(found)).to.match(/newest backup.*Stop using/);
  });

  it('takes a refusal of the server for no answer, and a route that is absent for no plugin', async () => {
    const answers: Readonly<Record<string, object>> = {
      '/health/ready': { components: { store: 'up' } },
      '/orbs': { orbs: [{ orb_id: 'a.b@1.0.0' }] },
    };
    const refuse = (status: number, detail: string): ClientError => new ClientError(detail, status, { detail });
    const client = (): Client => ({
      request: <T>(_: string, path: string): Promise<T> => {
        if (path === '/policies/-/status') return Promise.reject(refuse(404, 'no such route'));
        const answer = answers[path];
        return answer === undefined ? Promise.reject(refuse(503, 'busy')) : Promise.resolve(answer as T);
      },
      open: () => expect.fail('nothing is opened'),
      download: () => expect.fail('nothing is downloaded'),
    });
    expect((await checkServer(callWith({ client }))).map(({ name, state }) => [name, state])).to.deep.equal([
      ['components', 'ok'],
      ['nodes', 'skipped'],
      ['providers of a.b@1.0.0', 'skipped'],
    ]);
  });
});
