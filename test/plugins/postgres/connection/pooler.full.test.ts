import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { ConfigError } from '../../../../kernel/error.ts';
import { openStore, type OpenStore } from '../../../../kernel/store/serving/store.ts';
import { systemClock } from '../../../../kernel/tools/clock.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';
import { rejection } from '../../../helpers/stores/open.ts';
import { shelf } from '../../../helpers/stores/shelf.ts';
import { need } from '../../../helpers/needs.ts';
import { until } from '../../../helpers/until.ts';
import { usePostgres } from '../../../helpers/use-postgres.ts';
import { readStoreAddress } from '../../../../plugins/postgres/connection/address.ts';
import { engineModule } from '../../../helpers/postgres.ts';

const list = new URL('../../../helpers/stores/shelf.ts', import.meta.url).href;
const pooler = existsSync('/usr/sbin/pgbouncer') ? '/usr/sbin/pgbouncer' : 'pgbouncer';

describe('a pooler before the database', function () {
  this.timeout(60_000);
  const server = usePostgres();
  const folder = mkdtempSync(join(tmpdir(), 'orb-pooler-'));
  const started: ChildProcess[] = [];
  before(function () {
    need(this, 'pgbouncer');
  });
  after(async () => {
    for (const process of started.splice(0)) {
      const ended = once(process, 'exit');
      process.kill('SIGKILL');
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  });

  /** Starts a pooler; answers its port. */
  const start = async (mode: string, more = ''): Promise<number> => {
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { port } = listener.address() as AddressInfo;
    listener.close();
    await once(listener, 'close');
    await server.client('pooled');
    const [file, users] = [join(folder, `${mode}-${port}.ini`), join(folder, 'users.txt')];
    writeFileSync(users, '"orb" ""\n', { mode: 0o644 });
    writeFileSync(
      file,
      `[databases]\npooled = host=${server.folder} user=orb\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}
unix_socket_dir =\nauth_type = trust\nauth_file = ${users}\npool_mode = ${mode}\n${more}\n`,
    );
    const mapped = ['-U', '--map-user=1000', '--map-group=1000'];
    const isMapped = process.getuid?.() === 0 && spawnSync('unshare', [...mapped, 'true']).status === 0;
    const [command = '', ...args] = [...(isMapped ? ['unshare', ...mapped] : []), pooler, file];
    started.push(spawn(command, args, { stdio: 'ignore' }));
    const connect = async (): Promise<string> => {
      const client = new pg.Client({ host: '127.0.0.1', port, user: 'orb', database: 'pooled' });
      client.on('error', () => undefined);
      return client.connect().then(
        async () => {
          await client.end();
          return '';
        },
        (error: unknown) => String(error),
      );
    };
    await until(connect, (failure) => failure === '', 'the pooler');
    return port;
  };
  const open = (port: number): Promise<OpenStore> =>
    openStore({
      address: {
        ...readStoreAddress(`postgres://orb@127.0.0.1:${port}/pooled`, { insecure: false, readFile: () => '' }),
        module: engineModule,
      },
      ...{ stateDir: folder, node: 'a', masterKey: 'ab'.repeat(32), list, modules: [{ module: shelf }] },
      ...{ version: '1.0.0', clock: systemClock, log: silentLog },
    });
  const ignored =
    'ignore_startup_parameters = extra_float_digits,options,statement_timeout,lock_timeout,idle_in_transaction_session_timeout';

  for (const [mode, more, says] of [
    ['transaction', '', /a transaction pooler refuses them/],
    ['transaction', ignored, /does not keep the settings of a connection, like a transaction pooler/],
  ] as const)
    it(`is refused in one sentence when it pools transactions${more === '' ? '' : ' and ignores the settings of a connection'}`, async () => {
      const refused = await rejection(open(await start(mode, more)));
      expect(refused, String(refused)).to.be.instanceOf(ConfigError);
      const { faults } = refused as ConfigError;
      expect(faults).to.have.length(1);
      expect(faults[0])
        .to.match(says)
        .and.match(/^ORB_STORE_URL: [^\n]*$/);
    });

  it('is refused too when it pools sessions and ignores the settings of a connection', async () => {
    const refused = await rejection(open(await start('session', ignored)));
    expect(String(refused)).to.match(/does not keep the settings of a connection/);
  });
});
