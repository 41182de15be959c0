import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { PlatformError, type Log } from '../../../kernel/index.ts';
import { createIds } from '../../../kernel/tools/id.ts';
import { createLog, silentLog } from '../../../kernel/tools/log.ts';
import { ensureAdminKey } from '../../../plugins/api-keys/admin-key.ts';
import { isToken } from '../../../plugins/api-keys/token.ts';
import { holdClock, makeDir, removeDir, startKeys, type StartedKeys } from './started.ts';

describe('api-keys/admin-key', () => {
  let dir: string;
  let open: StartedKeys[];
  const file = (): string => join(dir, 'admin.key');

  beforeEach(() => {
    dir = makeDir();
    open = [];
  });

  afterEach(async () => {
    for (const keys of open) await keys.stop();
    removeDir(dir);
  });

  async function start(log: Log = silentLog): Promise<StartedKeys> {
    const keys = await startKeys(dir, holdClock(), log);
    open.push(keys);
    return keys;
  }

  it('the first start makes a live key with * of the tenant default, for the owner of the folder alone', async () => {
    const keys = await start();
    expect(readdirSync(dir)).not.to.include('admin.key');
    await keys.ready();
    const text = readFileSync(file(), 'utf8');
    expect(text).to.match(/^orb_live_[0-9A-Za-z]{38}\n$/);
    expect(statSync(file()).mode & 0o777).to.equal(0o600);
    expect(keys.authenticate(text.trim())).to.deep.include({ tenant: 'default', scopes: ['*'], mode: 'live' });
    expect(readdirSync(dir).filter((name) => name.endsWith('.tmp'))).to.deep.equal([]);
  });

  it('says where the key lies and never the key', async () => {
    const lines: string[] = [];
    const keys = await startKeys(
      dir,
      holdClock(),
      createLog('debug', (line) => lines.push(line)),
    );
    await keys.ready();
    await keys.stop();
    expect(lines.join('')).to.include(file());
    expect(lines.join('')).not.to.include(readFileSync(file(), 'utf8').trim().slice(9, 41));
  });

  it('a later start makes none, even when the file is gone, and still knows the first', async () => {
    const first = await start();
    await first.ready();
    await first.stop();
    const token = readFileSync(file(), 'utf8').trim();
    rmSync(file());
    const second = await start();
    await second.ready();
    expect(readdirSync(dir)).not.to.include('admin.key');
    expect(second.authenticate(token)?.scopes).to.deep.equal(['*']);
  });

  it('the file is whole before the key is stored; a start after a crash in between replaces it', async () => {
    let seen = '';
    const crash = (): Promise<never> => {
      seen = readFileSync(file(), 'utf8');
      return Promise.reject(new PlatformError('storage_unavailable'));
    };
    const clock = holdClock();
    const runtime = { recording: () => ({ store: 'none', name: 'none', args: null }) };
    const keyring = {
      authenticate: () => undefined,
      find: () => undefined,
      add: () => undefined,
      remove: () => undefined,
    };
    const store = { write: crash, node: { name: 'a', incarnation: '' } };
    const reads = { any: () => false, first: () => undefined };
    const parts = { store, keyring, ids: createIds(clock), clock, runtime, reads, stateDir: dir, log: silentLog };
    const error: unknown = await ensureAdminKey(parts).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(PlatformError);
    expect(isToken(seen.trim())).to.equal(true);

    const keys = await start();
    await keys.ready();
    const text = readFileSync(file(), 'utf8');
    expect(text).not.to.equal(seen);
    expect(keys.authenticate(seen.trim())).to.equal(undefined);
    expect(keys.authenticate(text.trim())).not.to.equal(undefined);
  });

  it('does not write through a link that lies at the temporary name', async () => {
    const keys = await start();
    const elsewhere = join(dir, 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, 'file'), 'untouched', { mode: 0o644 });
    symlinkSync(join(elsewhere, 'file'), `${file()}.tmp`);
    await keys.ready();
    expect(readFileSync(join(elsewhere, 'file'), 'utf8')).to.equal('untouched');
    expect(statSync(file()).mode & 0o777).to.equal(0o600);
  });
});
