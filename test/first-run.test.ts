import { expect } from 'chai';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPlatform } from './helpers/platform.ts';
import { createServed, type Served } from './helpers/served.ts';
import { startSmtp } from './helpers/smtp.ts';

const email = { to: 'ada@example.com', from_address: 'orb@example.com', subject: 'hello', body: 'It works.' };
const request = { orb_id: 'notify.email@1.0.0', inputs: email };

interface Native {
  readonly statement: {
    readonly predicate: {
      readonly facts: { readonly policy: object };
      readonly score: { readonly deductions: readonly { readonly code: string; readonly points: number }[] };
    };
  };
  readonly envelope: { payload: string; signatures: { keyid: string; sig: string }[] };
  trust_score: number;
}

describe('the first run of a fresh installation', () => {
  let served: Served;
  let receiptId: string;
  before(async () => {
    served = createServed();
    const { url, key } = await served.start();
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await fetch(`${url}/orbisets/default/execute`, {
      method: 'POST',
      headers,
      body: JSON.stringify(request),
    });
    receiptId = ((await response.json()) as { receipt: { receipt_id: string } }).receipt.receipt_id;
    writeFileSync(join(served.home, 'receipt.json'), served.orb('receipts', 'get', receiptId).stdout);
    await served.stop();
  });
  after(() => served.remove());

  const native = (): Native => JSON.parse(readFileSync(join(served.home, 'receipt.json'), 'utf8')) as Native;
  const verify = (name: string, content: unknown, ...more: string[]): number | null => {
    writeFileSync(join(served.home, name), typeof content === 'string' ? content : JSON.stringify(content));
    return served.orb('receipts', 'verify', name, ...more).status;
  };

  it('leaves a standard e-mail file in the outbox', () => {
    const folder = join(served.stateDir, 'outbox');
    const [file, ...rest] = readdirSync(folder);
    expect(rest).to.deep.equal([]);
    const text = readFileSync(join(folder, file ?? ''), 'utf8');
    expect(text)
      .to.match(/^To: ada@example\.com\r$/m)
      .and.match(/^From: orb@example\.com\r$/m)
      .and.match(/^Subject: hello\r$/m);
    expect(text).to.match(/\r\n\r\nIt works\./);
  });

  it('scores 80: the shipped policy allowed it, and three reasons are left', () => {
    const { trust_score, statement } = native();
    expect(trust_score).to.equal(80);
    expect(statement.predicate.score.deductions.map(({ code, points }) => [code, points])).to.deep.equal([
      ['key_in_process', 4],
      ['manifest_unsigned', 6],
      ['tier', 10],
    ]);
    expect(statement.predicate.facts.policy).to.deep.include({ decision: 'allow', policies: ['execute_by_scope'] });
  });

  it('is verified with the server stopped, its place in the log included: exit 0', () => {
    const { status, stdout } = served.orb('receipts', 'verify', 'receipt.json');
    expect(status).to.equal(0);
    expect(stdout)
      .to.match(/^VERIFIED$/m)
      .and.match(/^inclusion +pass$/m)
      .and.include(receiptId);
  });

  it('is rejected with a changed payload: exit 1', () => {
    const receipt = native();
    receipt.envelope.payload = Buffer.from(
      Buffer.from(receipt.envelope.payload, 'base64')
        .toString()
        .replace('ada', 'eve')
        .replace('"mode":"sandbox"', '"mode":"live"'),
    ).toString('base64');
    expect(verify('payload.json', receipt)).to.equal(1);
  });

  it('is rejected with a changed signature: exit 1', () => {
    const receipt = native();
    for (const signature of receipt.envelope.signatures)
      signature.sig = (signature.sig.startsWith('A') ? 'B' : 'A') + signature.sig.slice(1);
    expect(verify('signature.json', receipt)).to.equal(1);
  });

  it('is rejected with a changed readable copy: exit 1', () => {
    expect(verify('copy.json', { ...native(), trust_score: 99 })).to.equal(1);
  });

  it('is rejected under another key: exit 4', () => {
    const jwks = JSON.parse(readFileSync(join(served.stateDir, 'jwks.json'), 'utf8')) as { keys: { x: string }[] };
    for (const key of jwks.keys) key.x = (key.x.startsWith('A') ? 'B' : 'A') + key.x.slice(1);
    writeFileSync(join(served.home, 'other.json'), JSON.stringify(jwks));
    expect(verify('same.json', native(), '--keys', 'other.json')).to.equal(4);
  });

  it('is malformed when cut short: exit 2; an answer without an envelope is nothing to verify: exit 3', () => {
    expect(verify('cut.json', JSON.stringify(native()).slice(0, -10))).to.equal(2);
    expect(verify('summary.json', { run_id: 'run_1', receipt: { receipt_id: receiptId } })).to.equal(3);
  });
});

describe('the same call through smtp', () => {
  const providers = (port: number) => ({
    providers: {
      'smtp-main': { adapter: 'email/smtp', config: { host: '127.0.0.1', port, starttls: 'never' } },
      outbox: { adapter: 'email/outbox' },
    },
    bindings: { 'notify.email@1.0.0': ['smtp-main', 'outbox'] },
  });

  it('is delivered to the SMTP server after only platform.json changed', async () => {
    const receiver = await startSmtp({ tls: 'none' });
    const platform = await startPlatform({ platform: providers(receiver.port) });
    try {
      const { status, body } = await platform.call('POST', '/orbisets/default/execute', request);
      expect([status, body.status]).to.deep.equal([200, 'completed']);
      expect(receiver.messages.map(({ from, to }) => ({ from, to }))).to.deep.equal([
        { from: 'orb@example.com', to: ['ada@example.com'] },
      ]);
      expect(receiver.messages[0]?.raw.toString()).to.include(body.outputs.message_id);
      const receipt = await platform.call('GET', `/receipts/${body.receipt.receipt_id}`);
      expect(receipt.body.statement.predicate).to.include({ mode: 'live' });
    } finally {
      await platform.stop();
      await receiver.close();
    }
  });

  it('with that server down and the outbox next: 503, no .eml, mode live, counted as a fault', async () => {
    const receiver = await startSmtp({ tls: 'none' });
    await receiver.close();
    const platform = await startPlatform({ platform: providers(receiver.port) });
    try {
      const { status, body, headers } = await platform.call('POST', '/orbisets/default/execute', request);
      expect([status, body.code, headers.get('retry-after')]).to.deep.equal([503, 'provider_unavailable', '5']);
      expect(() => readdirSync(join(platform.stateDir, 'outbox')).filter((file) => file.endsWith('.eml'))).to.satisfy(
        (list: () => string[]) => {
          try {
            return list().length === 0;
          } catch (error) {
            return (error as NodeJS.ErrnoException).code === 'ENOENT';
          }
        },
      );
      const { predicate } = (await platform.call('GET', `/receipts/${body.receipt.receipt_id}`)).body.statement;
      expect(predicate).to.include({ mode: 'live', status: 'failed' });
      expect(predicate.score_fact.outcome_class).to.equal('orb_fault');
      expect(predicate.facts.provider).to.include({ name: 'smtp-main', health: 'down' });
    } finally {
      await platform.stop();
    }
  });
});
