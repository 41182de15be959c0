import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageDir } from '../../helpers/folder.ts';
import { operation, type Principal } from '../../../kernel/index.ts';
import { silentLog } from '../../../kernel/tools/log.ts';
import type { OpenStore } from '../../../kernel/store/serving/store.ts';
import { openShipped } from '../../helpers/stores/open-shipped.ts';
import { Sessions } from '../../../plugins/console/session/sessions.ts';
import consoleStore, { type ConsoleReads } from '../../../plugins/console/store.ts';
import { readsNow } from '../../helpers/reads.ts';

const minute = 60_000;
const caller = (number: number): Principal => ({
  ...{ id: `prn_${number}`, key_id: `key_${String(number).padStart(3, '0')}`, tenant: 'default' },
  ...{ scopes: ['*'], mode: 'live' },
});

describe('the rows of sessions', () => {
  let dir: string;
  let store: OpenStore;
  let reads: ConsoleReads;
  let now = Date.parse('2030-01-01T00:00:00Z');
  const gone = new Set<string>();
  let sessions: Sessions;

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'orb-'));
    const clock = { now: () => now, monotonic: () => now };
    const modules = [{ module: consoleStore, file: join(packageDir, 'plugins/console/store.ts') }];
    store = await openShipped({ stateDir: dir, modules, clock, log: silentLog, version: '0.0.0' });
    reads = readsNow(store, consoleStore);
    const credential = (key_id: string) => (gone.has(key_id) ? undefined : { ...caller(0), key_id });
    sessions = new Sessions({ store, reads, credential, clock, log: silentLog });
  });
  after(async () => {
    await store.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const keys = async (after = ''): Promise<readonly string[]> => reads.keys(after);

  it('go when the session is over, and the links with them', async () => {
    const idle = await sessions.begin(caller(1));
    const { token: link } = await sessions.link(caller(1));
    now += 20 * minute;
    const used = await sessions.begin(caller(2));
    now += 12 * minute;
    await sessions.tidy();
    expect(await keys()).to.deep.equal(['key_002']);
    expect(await sessions.find(idle)).to.equal(undefined);
    expect(await sessions.findLink(link)).to.equal(undefined);
    expect((await sessions.find(used))?.principal.key_id).to.equal('key_002');
  });

  it('go with the key, also beyond a page of keys', async () => {
    for (let number = 0; number < 250; number += 1) await sessions.begin(caller(number));
    for (let number = 0; number < 250; number += 1) if (number % 2 === 0) gone.add(caller(number).key_id);
    await sessions.tidy();
    const left = [...(await keys()), ...(await keys((await keys()).at(-1)))];
    expect(left).to.have.length(125);
    expect(left.filter((key) => gone.has(key))).to.deep.equal([]);
  });

  it('of one key are at most 20: the oldest give way', async () => {
    const tokens: string[] = [];
    for (let number = 0; number < 25; number += 1) {
      now += 1;
      tokens.push(await sessions.begin(caller(301)));
    }
    const live = await Promise.all(tokens.map((token) => sessions.find(token)));
    expect(live.map((one) => one !== undefined)).to.deep.equal([...Array(5).fill(false), ...Array(20).fill(true)]);
  });

  it('are written at most once a minute, however often the session is used', async () => {
    const token = await sessions.begin(caller(401));
    let writes = 0;
    const counting = new Sessions({
      ...{ reads, credential: () => caller(401), clock: { now: () => now }, log: silentLog },
      store: { write: async (operations) => ((writes += operations.length), store.write(operations)) },
    });
    for (let use = 0; use < 50; use += 1) await counting.authenticate(token, {});
    now += minute;
    for (let use = 0; use < 50; use += 1) await counting.authenticate(token, {});
    expect(writes).to.equal(1);
    await store.write([operation(consoleStore, 'end', { hash: 'none' })]);
    now += 29 * minute;
    const restarted = new Sessions({
      reads,
      credential: () => caller(401),
      clock: { now: () => now },
      log: silentLog,
      store,
    });
    expect((await restarted.find(token))?.principal.key_id).to.equal('key_401');
  });

  it('do not learn of one who only watches', async () => {
    const token = await sessions.begin(caller(501));
    now += 29 * minute;
    expect(await sessions.authenticate(token, { watching: true })).not.to.equal(undefined);
    now += minute;
    expect(await sessions.authenticate(token, { watching: true })).to.equal(undefined);
  });
});
