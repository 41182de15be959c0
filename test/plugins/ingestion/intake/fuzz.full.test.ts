import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { golden, startIngestion, type IngestionHome } from '../home.ts';
import { vendorNames } from '../../../../plugins/ingestion/signals/words.ts';

const rounds = process.env['INGEST_SOAK'] === '1' ? 400 : 20;

describe('the front door under hostile bytes', function () {
  this.timeout(600_000);
  let home: IngestionHome;
  before(async () => {
    home = await startIngestion();
  });
  after(() => home.stop());

  it('never answers 5xx, never crashes, and ends every delivery, whatever a source sends', async () => {
    const limits = { burst: 100_000, rate_per_second: 10_000 };
    for (const vendor of vendorNames) {
      const open = vendor !== 'standard-webhooks';
      const auth = open ? { auth: { scheme: 'url' } } : {};
      const source = await home.source({ name: vendor, vendor, limits, ...auth });
      const ids: string[] = [];
      for (const [body, headers] of hostile(vendor)) {
        const proof = open ? {} : signed(source.secret, body);
        const answer = await home.hook(source.path, { headers: { ...headers, ...proof }, body });
        expect(answer.status, `${vendor} ${body.subarray(0, 40).toString('latin1')}`).to.be.oneOf([200, 202, 413]);
        if (answer.status === 202) ids.push(answer.body.delivery_id);
      }
      for (const id of ids) expect((await home.settled(id)).delivery.state).to.be.oneOf(['done', 'ignored', 'dead']);
    }
    expect((await home.get('/health')).status).to.equal('ok');
    expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined);
  });

  it('takes no garbage for a signature', async () => {
    const { path } = await home.source({ name: 'gh', vendor: 'github', limits: { burst: 10_000 } });
    const odd = ['sha256=', 'sha256=zz', `sha256=${'0'.repeat(63)}`, `sha256=${'0'.repeat(128)}`, 'sha1=00', ',,,,'];
    for (const value of odd) {
      const headers = { 'content-type': 'application/json', 'x-hub-signature-256': value, 'x-github-event': 'ping' };
      expect((await home.hook(path, { headers, body: '{}' })).status, value).to.equal(401);
    }
  });

  it('gives the reason of each dead letter', async () => {
    const source = await home.source({ name: 'am', vendor: 'uptime-kuma', auth: { scheme: 'url' } });
    const reasons: Readonly<Record<string, string | Buffer>> = {
      malformed_json: '{"heartbeat": ',
      too_deep: `{"msg":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
      too_many_keys: JSON.stringify({ msg: Array.from({ length: 11_000 }, () => 1) }),
      not_utf8: Buffer.from([0x7b, 0xff, 0xfe, 0x7d]),
      unknown_shape: '[1, 2, 3]',
    };
    for (const [reason, body] of Object.entries(reasons)) {
      const answer = await home.hook(source.path, { headers: { 'content-type': 'application/json' }, body });
      expect(answer.status).to.equal(202);
      const { delivery } = await home.settled(answer.body.delivery_id);
      expect(delivery).to.include({ state: 'dead', reason });
    }
  });
});

function signed(secret: string, body: Buffer): Record<string, string> {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const seconds = String(Date.UTC(2026, 10, 21, 12) / 1000);
  const id = `msg-${Math.random()}`;
  const mac = createHmac('sha256', key)
    .update(Buffer.concat([Buffer.from(`${id}.${seconds}.`), body]))
    .digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${mac}` };
}

const example: Readonly<Record<string, string>> = { segment: 'segment.batch', mixpanel: 'mixpanel.cohort' };

function* hostile(vendor: string): Generator<readonly [Buffer, Readonly<Record<string, string>>]> {
  const json = {
    'content-type': 'application/json',
    'sentry-hook-resource': 'issue',
    'x-github-event': 'workflow_run',
  };
  const good = golden(example[vendor] ?? `${vendor}.firing`);
  const zip = { ...json, 'content-encoding': 'gzip' };
  const texts = [
    '',
    'null',
    '0',
    '""',
    '[]',
    '{}',
    '[null]',
    '\ufeff',
    `\ufeff${good}`,
    '['.repeat(40_000),
    `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
    '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
    good.replace('{', '{"__proto__":{"polluted":1},'),
    good.replaceAll('2026', '\\u0000'),
    good.replaceAll('2026', '\\ud800'),
    good.replaceAll(/"[^"]+":/g, '"toString":'),
    good.replaceAll(/: "[^"]*"/g, ': {"a":[1,{"b":null}]}'),
    good.replaceAll(/: "[^"]*"/g, ': 99999999999999999999999999'),
    good.replaceAll(/: "[^"]*"/g, ': []'),
    JSON.stringify({ msg: 'x'.repeat(900_000), event: 'y'.repeat(90_000) }),
    'a=1&payload=%7B&data=%FF',
  ];
  for (const text of texts) yield [Buffer.from(text), json];
  yield [gzipSync(good), zip];
  yield [gzipSync(good).subarray(0, 40), zip];
  yield [gzipSync(Buffer.alloc(20 * 1024 * 1024)), zip];
  yield [Buffer.from(good), { ...json, 'content-type': 'multipart/form-data; boundary=' }];
  yield [Buffer.from('--b\r\n\r\n--b--'), { ...json, 'content-type': 'multipart/form-data; boundary=b' }];
  yield [Buffer.from('payload=%'), { ...json, 'content-type': 'application/x-www-form-urlencoded' }];
  yield [Buffer.from(good), { ...json, 'ce-specversion': '1.0', 'ce-id': '%', 'ce-type': 't', 'ce-source': '/%00' }];
  for (let round = 0; round < rounds; round++) {
    yield [Buffer.from(Array.from({ length: 200 }, () => Math.floor(Math.random() * 256))), json];
    yield [mutated(Buffer.from(good)), json];
  }
}

function mutated(bytes: Buffer): Buffer {
  for (let at = 0; at < 6; at++)
    bytes[Math.floor(Math.random() * bytes.length)] = Buffer.from('{}[]",:\\0e\u0000\xff', 'latin1')[at * 2] ?? 0;
  return bytes;
}
