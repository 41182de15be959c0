import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ConfigError } from '../../../../kernel/error.ts';
import { operation } from '../../../../kernel/index.ts';
import { readStoreAddress } from '../../../../plugins/postgres/connection/address.ts';
import { openStore, type OpenStore } from '../../../../kernel/store/serving/store.ts';
import { systemClock } from '../../../../kernel/tools/clock.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';
import { rejection } from '../../../helpers/stores/open.ts';
import { shelf } from '../../../helpers/stores/shelf.ts';
import { startTlsPostgres, superuserOf, type TlsPostgres } from '../../../helpers/tls-postgres.ts';
import { need } from '../../../helpers/needs.ts';
import { needPostgres } from '../../../helpers/use-postgres.ts';
import { engineModule } from '../../../helpers/postgres.ts';

const list = new URL('../../../helpers/stores/shelf.ts', import.meta.url).href;
const read = (path: string): string => readFileSync(path, 'utf8');

describe('a database that knows its roles by certificates', function () {
  this.timeout(120_000);
  let server: TlsPostgres;
  const folder = mkdtempSync(join(tmpdir(), 'orb-certificate-'));
  before(async function () {
    needPostgres(this);
    need(this, 'openssl');
    server = await startTlsPostgres();
    const admin = await superuserOf(server, read);
    await admin.query('CREATE ROLE app LOGIN');
    await admin.query('CREATE DATABASE orb OWNER app');
    await admin.end();
  });
  after(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = (parameters: Readonly<Record<string, string>>): Promise<OpenStore> => {
    const rest = new URLSearchParams({ sslmode: 'verify-full', sslrootcert: server.authority, ...parameters });
    const text = `postgres://app@localhost:${server.port}/orb?${rest.toString()}`;
    return openStore({
      address: { ...readStoreAddress(text, { insecure: false, readFile: read }), module: engineModule },
      ...{ stateDir: folder, node: 'a', masterKey: 'ab'.repeat(32), list, modules: [{ module: shelf }] },
      ...{ version: '1.0.0', clock: systemClock, log: silentLog },
    });
  };
  const given = ({ cert, key }: { readonly cert: string; readonly key: string }) => ({ sslcert: cert, sslkey: key });

  it('is served on with the certificate of the role', async () => {
    const store = await open(given(server.certificateOf('app')));
    await store.write([operation(shelf, 'insert', 1)]);
    expect(await store.awaitedReads(shelf).ids()).to.deep.equal([1]);
    await store.close();
  });

  for (const { what, parameters, says } of [
    { what: 'without a certificate', parameters: () => ({}), says: /requires a valid client certificate/ },
    {
      what: 'with the certificate of another role',
      parameters: () => given(server.certificateOf('other')),
      says: /certificate authentication failed for user "app"/,
    },
    {
      what: 'with a certificate of another authority',
      parameters: () => given(server.certificateOf('app', 'stranger')),
      says: /unknown ca/,
    },
    {
      what: 'with the key of another certificate',
      parameters: () => ({ sslcert: server.certificateOf('app').cert, sslkey: server.certificateOf('other').key }),
      says: /key values mismatch/,
    },
    {
      what: 'with a server that another authority has signed',
      parameters: () => ({
        ...given(server.certificateOf('app')),
        sslrootcert: server.authority.replace('authority.pem', 'stranger.pem'),
      }),
      says: /unable to verify|self-signed|unable to get local issuer/,
    },
    {
      what: 'with a key file that is not there',
      parameters: () => ({ sslcert: server.certificateOf('app').cert, sslkey: join(folder, 'none.pem') }),
      says: /^ORB_STORE_URL: the file of sslkey cannot be read \(ENOENT/,
    },
  ] as readonly { what: string; parameters: () => Readonly<Record<string, string>>; says: RegExp }[])
    it(`is refused in one sentence ${what}`, async () => {
      const refused = await rejection(Promise.resolve().then(() => open(parameters())));
      expect(refused, String(refused)).to.be.instanceOf(ConfigError);
      const { faults } = refused as ConfigError;
      expect(faults).to.have.length(1);
      expect(faults[0])
        .to.match(says)
        .and.match(/^ORB_STORE_URL: [^\n]*$/);
    });
});
