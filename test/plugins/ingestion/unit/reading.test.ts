import { expect } from 'chai';
import { parsePayload } from '../../../../plugins/ingestion/sources/payload/parse.ts';
import { fieldOfForm } from '../../../../plugins/ingestion/sources/vendors/uptime-kuma.ts';
import { at, cut, labelsOf, line, text, time } from '../../../../plugins/ingestion/sources/vendors/read.ts';
import { severityOf } from '../../../../plugins/ingestion/sources/vendors/severity.ts';

describe('what vendors write', () => {
  it('are times of many forms, and of none', () => {
    const ten = Date.UTC(2026, 10, 20, 10);
    const forms = [
      '2026-11-20T10:00:00Z',
      '2026-11-20T11:00:00+01:00',
      '2026-11-20T11:00:00+0100',
      '2026-11-20 10:00:00',
      '2026-11-20T10:00:00.0000000Z',
      ten,
      ten / 1000,
      ten * 1000,
      ten * 1_000_000,
      String(ten),
      String(ten / 1000),
    ];
    for (const form of forms) expect(time(form), String(form)).to.equal(ten);
    expect(time('2026-11-20T10:00:00.1239999Z')).to.equal(ten + 123);
    for (const form of ['0001-01-01T00:00:00Z', '', 'yesterday', null, -1, 0, '2026-13-40T00:00:00Z'])
      expect(time(form), String(form)).to.equal(undefined);
  });

  it('is read by own members alone', () => {
    expect(at({}, 'constructor')).to.equal(undefined);
    expect(text(JSON.parse('{"__proto__":{"a":"b"}}'), 'a')).to.equal(undefined);
    expect(Object.keys(labelsOf(JSON.parse('{"__proto__":"x","a":1,"b":{},"c":true}')))).to.deep.equal(['a', 'c']);
    expect(
      Object.keys(labelsOf(Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`l${i}`, 'x'])))),
    ).to.have.length(64);
  });

  it('is cut without splitting a character, and shown on one line', () => {
    expect(cut('a😀', 2)).to.equal('a\ufffd');
    expect(line('a\r\n\u0000\u001b[31mb\u2028c', 100)).to.equal('a [31mb c');
  });

  it('keeps integers beyond 2^53, and drops a byte order mark', () => {
    const bytes = Buffer.from('\ufeff{"id":9007199254740993,"f":1.5,"n":[12345678901234567890]}');
    expect(parsePayload(bytes, 10)).to.deep.equal({ id: '9007199254740993', f: 1.5, n: ['12345678901234567890'] });
  });

  it('may nest 64 levels, brackets in texts not counted', () => {
    const nested = (levels: number) => Buffer.from('['.repeat(levels) + ']'.repeat(levels));
    expect(() => parsePayload(nested(64), 10)).to.not.throw();
    expect(() => parsePayload(nested(65), 10)).to.throw(/deeper/);
    expect(parsePayload(Buffer.from(`"${'[\\"'.repeat(100)}"`), 10)).to.be.a('string');
  });

  it('are words of severity in any case', () => {
    const words = { P1: 'critical', page: 'critical', Sev1: 'high', WARN: 'warning', P5: 'info', ok: 'debug' };
    for (const [word, severity] of Object.entries(words)) expect(severityOf(word), word).to.equal(severity);
    expect(severityOf('catastrophic')).to.equal(undefined);
  });

  it('may be a field of a form', () => {
    const body = Buffer.from('--x\r\nContent-Disposition: form-data; name="data"\r\n\r\n{"a":1}\r\n--x--\r\n');
    expect(fieldOfForm(body, 'multipart/form-data; boundary=x', 'data')?.toString()).to.equal('{"a":1}');
    expect(fieldOfForm(body, 'multipart/form-data; boundary=x', 'other')).to.equal(undefined);
  });
});
