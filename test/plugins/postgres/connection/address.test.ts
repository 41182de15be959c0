import { expect } from 'chai';
import { ConfigError } from '../../../../kernel/error.ts';
import { readStoreAddress } from '../../../../plugins/postgres/connection/address.ts';

const rules = {
  insecure: false,
  readFile: (path: string) => {
    if (path !== '/etc/ca.pem') throw new Error('ENOENT');
    return 'PEM';
  },
};

describe('the address of a PostgreSQL store', () => {
  it('names host, port, user, password and database, and is shown without user and password', () => {
    expect(readStoreAddress('postgres://orb:s%40cret@127.0.0.1:6432/orbs', rules)).to.deep.equal({
      connect: { host: '127.0.0.1', port: 6432, database: 'orbs', user: 'orb', password: 's@cret', ssl: false },
      shown: 'postgres://127.0.0.1:6432/orbs',
    });
    const socket = readStoreAddress('postgresql:///orbs?host=/run/postgresql&user=orb', rules);
    expect(socket.connect).to.deep.include({ host: '/run/postgresql', port: 5432, ssl: false });
    expect(readStoreAddress('postgres://orb@[::1]/orbs', rules).connect.host).to.equal('::1');
  });

  it('is reached by verified TLS on another machine, unless the operator allows less', () => {
    const there = 'postgres://orb@db.example/orbs';
    expect(readStoreAddress(there, rules).connect.ssl).to.deep.equal({ rejectUnauthorized: true });
    expect(readStoreAddress(`${there}?sslrootcert=/etc/ca.pem`, rules).connect.ssl).to.deep.equal({
      ...{ rejectUnauthorized: true, ca: 'PEM' },
    });
    const insecure = { ...rules, insecure: true };
    expect(readStoreAddress(`${there}?sslmode=disable`, insecure).connect.ssl).to.equal(false);
    expect(readStoreAddress(`${there}?sslmode=require`, insecure).connect.ssl).to.deep.equal({
      rejectUnauthorized: false,
    });
  });

  it('names several servers; the primary is used', () => {
    const found = readStoreAddress(
      'postgres://orb:s%40cret@127.0.0.1:6432,localhost,[::1]:7432/orbs?target_session_attrs=read-write',
      rules,
    );
    expect(found.connect).to.include({ host: '127.0.0.1', port: 6432, password: 's@cret' });
    expect(found.others).to.deep.equal([
      { host: 'localhost', port: 5432 },
      { host: '::1', port: 7432 },
    ]);
    expect(found.shown).to.equal('postgres://127.0.0.1:6432,localhost:5432,[::1]:7432/orbs');
    expect(readStoreAddress('postgres://orb@127.0.0.1,db.example/orbs', rules).connect.ssl).to.deep.equal({
      rejectUnauthorized: true,
    });
  });

  it('names a schema, and the certificate by which the role is known', () => {
    const files = { insecure: false, readFile: (path: string) => `PEM of ${path}` };
    const text = 'postgres://orb@db.example/orbs?schema=agent_orb&sslcert=/c.pem&sslkey=/k.pem';
    const { connect, schema } = readStoreAddress(text, files);
    expect(schema).to.equal('agent_orb');
    expect(connect.ssl).to.deep.equal({ rejectUnauthorized: true, cert: 'PEM of /c.pem', key: 'PEM of /k.pem' });
  });

  for (const [text, fault] of [
    ['postgres://orb:hidden@127.0.0.1/orbs?schema=a;b', /schema must contain only/],
    ['postgres://orb:hidden@127.0.0.1/orbs?target_session_attrs=any', /target_session_attrs must be one of/],
    ['postgres://orb:hidden@db.example/orbs?sslcert=/etc/ca.pem', /must be set together/],
    ['postgres://orb:hidden@db.example/orbs?sslcert=/none&sslkey=/etc/ca.pem', /file of sslcert cannot be read/],
    ['postgres://orb:hidden@127.0.0.1,db.example/orbs?sslmode=disable', /needs sslmode=verify-full/],
    ['postgres://orb:hidden@127.0.0.1,two:x/orbs', /must have the form/],
    ['postgres://orb:hidden@db.example/orbs?sslmode=disable', /needs sslmode=verify-full/],
    ['postgres://orb:hidden@db.example/orbs?sslmode=require', /needs sslmode=verify-full/],
    ['postgres://orb:hidden@10.0.0.1/orbs?sslmode=prefer', /sslmode must be one of/],
    ['postgres://orb:hidden@db.example/orbs?options=-c%20x', /options is unknown/],
    ['postgres://orb:hidden@db.example/orbs?sslrootcert=/none', /cannot be read \(ENOENT\)/],
    ['postgres://orb:hidden@db.example', /must name a user, a host and a database/],
    ['postgres://db.example/orbs', /must name a user, a host and a database/],
    ['mysql://orb:hidden@db.example/orbs', /must have the form/],
    ['orb:hidden@db.example', /must have the form/],
  ] as const)
    it(`is refused, without a word of the password: ${text}`, () => {
      expect(() => readStoreAddress(text, rules))
        .to.throw(ConfigError, fault)
        .that.satisfies((error: Error) => !error.message.includes('hidden'));
    });
});
