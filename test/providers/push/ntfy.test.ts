import { expect } from 'chai';
import { compile } from '../../../kernel/index.ts';
import { testKey } from '../../helpers/conformance.ts';
import { createStage, failure, full, noSignal, send, text } from './vendors/bed.ts';
import { ntfyBed } from './vendors/ntfy.ts';
import { vendorSuite } from './vendors/suite.ts';

describe('push/ntfy', () => {
  vendorSuite(ntfyBed);
  const { vendor: start, open } = createStage(ntfyBed);
  const to = ntfyBed.to('');
  const bodyOf = (request: { readonly body: Buffer } | undefined): object =>
    JSON.parse(String(request?.body)) as object;

  it('publishes what it was given', async () => {
    const vendor = await start();
    const outputs = await send(await open(ntfyBed.config(vendor.url)), { ...full, to });
    expect(outputs).to.deep.equal({ message_id: ntfyBed.id, status: 'accepted' });
    expect(bodyOf(vendor.posts[0])).to.deep.equal({
      ...{ ...to, title: full.title, message: full.body, click: full.url },
      ...{ priority: 4, sequence_id: 'build-1' },
    });
  });

  it('sends our key as the sequence, so that a repeated message updates the first one', async () => {
    const vendor = await start();
    await send(await open(ntfyBed.config(vendor.url)), { ...text, to });
    expect(bodyOf(vendor.posts[0])).to.include({ sequence_id: testKey('p'), priority: 3 });
  });

  const emoji = '👩‍👩‍👧‍👦';
  for (const [name, body, kept] of [
    ['4,096 bytes', 'ü'.repeat(1000) + '語'.repeat(698) + 'aa', undefined],
    ['one byte more', 'ü'.repeat(1000) + '語'.repeat(698) + 'aaa', 'ü'.repeat(1000) + '語'.repeat(697)],
    ['emoji at the border', `${'x'.repeat(20)}${emoji.repeat(170)}`, `${'x'.repeat(20)}${emoji.repeat(162)}`],
  ] as const)
    it(`counts bytes: ${name}`, async () => {
      const vendor = await start();
      const handle = await open(ntfyBed.config(vendor.url));
      const call = send(handle, { title: 'x', body, to });
      if (kept === undefined) return void expect(await call).to.not.have.property('truncated');
      expect(await failure(call)).to.include({ outcome: 'rejected', reason: 'content_too_long' });
      expect(vendor.posts).to.have.length(0);
      expect(await send(handle, { title: 'x', body, to, overflow: 'truncate' })).to.include({ truncated: true });
      const { message } = bodyOf(vendor.posts[0]) as { message: string };
      expect(message.endsWith('…') && body.startsWith(message.slice(0, -1))).to.equal(true);
      expect([message.slice(0, -1), Buffer.byteLength(message) <= 4096]).to.deep.equal([kept, true]);
    });

  for (const other of [{ token: 'abc' }, { user: 'ada' }, { topic: 'a b' }, { topic: 'x'.repeat(65) }])
    it(`serves no recipient like ${JSON.stringify(other)}`, async () => {
      const error = await failure(send(await open(ntfyBed.config('http://localhost')), { ...text, to: other }));
      expect(error.outcome).to.equal('rejected');
    });

  it('logs in with a user and a password', async () => {
    const vendor = await start();
    const login = { user: 'orb', password: 'a secret: ü' };
    const error = await failure(send(await open({ base_url: vendor.url, login }), { ...text, to }));
    expect(error.outcome).to.equal('provider_fault');
    expect(vendor.posts[0]?.headers['authorization']).to.equal(
      `Basic ${Buffer.from('orb:a secret: ü').toString('base64')}`,
    );
  });

  it('publishes without credentials to an open server', async () => {
    const vendor = await start();
    await failure(send(await open({ base_url: vendor.url }), { ...text, to }));
    expect(vendor.posts[0]?.headers).to.not.have.property('authorization');
  });

  it('warns of two logins', () => {
    const login = { user: 'orb', password: 'word' };
    const warn = (config: object) => ntfyBed.adapter.warningsOf?.(config as never);
    expect(warn({ token: 'x', login })?.join()).to.match(/`login` is ignored/);
    expect(warn({ login })).to.deep.equal([]);
    const check = compile(ntfyBed.adapter.config);
    expect(check({ login: { user: 'a:b', password: 'x' } })).to.not.deep.equal([]);
    expect(check({ base_url: 'http://ntfy.example.com' })).to.not.deep.equal([]);
  });

  it('proves its credentials without a message', async () => {
    const vendor = await start();
    await (await open(ntfyBed.config(vendor.url))).probe?.(noSignal());
    const wrong = await open({ base_url: vendor.url, token: 'wrong-token' });
    expect((await failure(wrong.probe?.(noSignal()))).outcome).to.equal('provider_fault');
    expect(vendor.posts).to.have.length(0);
  });
});
