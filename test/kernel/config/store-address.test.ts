import { expect } from 'chai';
import { storeAddressOf } from '../../../kernel/config/store-address.ts';
import type { Environment } from '../../../kernel/config/state-dir.ts';
import type { PostgresAddress } from '../../../plugins/postgres/connection/address.ts';
import postgres from '../../../plugins/postgres/index.ts';

describe('the address of the store', () => {
  const known = { owners: [postgres], plugins: {} };
  const read = (settings: object, env: Environment = {}) => {
    const faults: string[] = [];
    const shown = storeAddressOf(settings, { env, home: '/nowhere' }, known, faults)?.shown;
    return { shown, faults };
  };
  const file = { store: { url: { $env: 'ORB_DB' } } };
  const secret = 'xyzzy';

  it('is that of ORB_STORE_URL, else that of the file; without one the store is in the state dir', () => {
    const env = { ORB_DB: 'postgres://orb@127.0.0.1:5433/one' };
    expect(read({})).to.deep.equal({ shown: undefined, faults: [] });
    expect(read(file, env)).to.deep.equal({ shown: 'postgres://127.0.0.1:5433/one', faults: [] });
    const first = { ...env, ORB_STORE_URL: 'postgres://orb@localhost/two' };
    expect(read(file, first)).to.deep.equal({ shown: 'postgres://localhost/two', faults: [] });
  });

  it('may be on another machine without verified TLS only where the operator says so', () => {
    const env = { ORB_STORE_URL: 'postgres://orb@db.example/orb?sslmode=require' };
    expect(read({ insecure_store: true }, env)).to.deep.equal({ shown: 'postgres://db.example/orb', faults: [] });
    expect(read({}, env).faults.join()).to.match(
      /^ORB_STORE_URL: a store on another machine needs sslmode=verify-full/,
    );
  });

  it('may be reached by another role that makes the tables', () => {
    const env = {
      ORB_STORE_URL: 'postgres://app@localhost/orb?schema=own',
      ORB_MAKER: 'postgres://maker@localhost/orb?schema=own',
    };
    const faults: string[] = [];
    const settings = { store: { migration_url: { $env: 'ORB_MAKER' } } };
    const found = storeAddressOf(settings, { env, home: '/nowhere' }, known, faults) as PostgresAddress | undefined;
    expect([found?.connect.user, found?.migration?.connect.user, faults]).to.deep.equal(['app', 'maker', []]);
  });

  const wrong: readonly [what: string, settings: object, env: Environment, fault: RegExp][] = [
    [
      'stands in the file itself',
      { store: { url: `postgres://orb:${secret}@127.0.0.1/orb` } },
      {},
      /^platform\.json\/store\/url: is a secret/,
    ],
    ['is in a variable that is not set', file, {}, /^platform\.json\/store\/url: the environment variable ORB_DB/],
    [
      'is not the database that the role for migrations has',
      {},
      {
        ORB_STORE_URL: 'postgres://app@localhost/orb',
        ORB_STORE_MIGRATION_URL: `postgres://maker:${secret}@localhost/other`,
      },
      /^ORB_STORE_MIGRATION_URL: must name the same database and schema as ORB_STORE_URL/,
    ],
    [
      'is missing beside that of the role for migrations',
      {},
      { ORB_STORE_MIGRATION_URL: `postgres://maker:${secret}@localhost/orb` },
      /^ORB_STORE_MIGRATION_URL: needs ORB_STORE_URL too/,
    ],
    [
      'has a fault where it is that of the role for migrations',
      {},
      {
        ORB_STORE_URL: 'postgres://app@localhost/orb',
        ORB_STORE_MIGRATION_URL: `mysql://maker:${secret}@localhost/orb`,
      },
      /^ORB_STORE_MIGRATION_URL: must have the form/,
    ],
    ['is that of another database', {}, { ORB_STORE_URL: `mysql://orb:${secret}@127.0.0.1/orb` }, /must have the form/],
  ];
  for (const [what, settings, env, fault] of wrong)
    it(`is refused when it ${what}, and its password is not repeated`, () => {
      const { faults } = read(settings, env);
      expect(faults).to.have.length(1);
      expect(faults[0]).to.match(fault).and.not.include(secret);
    });

  it('is refused when its plugin is left out or no plugin serves databases, and says what to do', () => {
    const env = { ORB_STORE_URL: `postgres://orb:${secret}@127.0.0.1/orb` };
    const faultsWith = (engines: typeof known): readonly string[] => {
      const faults: string[] = [];
      expect(storeAddressOf({}, { env, home: '/nowhere' }, engines, faults)).to.equal(undefined);
      return faults;
    };
    expect(faultsWith({ owners: [postgres], plugins: { postgres: false } })).to.deep.equal([
      'ORB_STORE_URL: the plugin postgres serves this address, and platform.json leaves it out; remove "postgres": false from plugins, or start without ORB_STORE_URL (and store.url in platform.json) on the file of the state dir',
    ]);
    expect(faultsWith({ owners: [], plugins: {} })).to.deep.equal([
      'ORB_STORE_URL: no plugin serves a database as the store; remove it to use a file of the state dir',
    ]);
  });
});
