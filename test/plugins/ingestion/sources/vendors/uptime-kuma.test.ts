import { expect } from 'chai';
import { fieldOfForm, uptimeKuma } from '../../../../../plugins/ingestion/sources/vendors/uptime-kuma.ts';
import { arrivalOf, decoded, draftsOf, itReads, itRefuses, pasted } from './drafts.ts';

const beat = { monitorID: 7, status: 0, time: '2026-11-20 10:00:00', msg: 'timeout', ping: 12 };
const monitor = {
  id: 8,
  name: 'Site',
  type: 'http',
  url: 'https://site',
  tags: [{ name: 'env', value: 'prod' }, { name: 'plain', value: '' }, { value: 'nameless' }],
};
const form = (text: string): readonly [Buffer, string] => [
  Buffer.from(text.replaceAll('\n', '\r\n')),
  'multipart/form-data; boundary=x',
];

describe('Uptime Kuma', () => {
  itReads('uptime-kuma', [
    {
      name: 'reads a heartbeat',
      payload: { heartbeat: beat, monitor, msg: 'down' },
      expected: {
        ...{ type: 'orb.signal.alert', vendor_type: 'heartbeat.0', state: 'firing', title: 'Site', summary: 'timeout' },
        ...{ occurred_at: Date.UTC(2026, 10, 20, 10), url: 'https://site', episode_key: 'monitor:7', value: 12 },
        labels: { monitor: 'Site', monitor_type: 'http', env: 'prod', plain: 'true' },
      },
    },
    {
      name: 'reads a heartbeat that says less',
      payload: { heartbeat: {}, monitor: { id: 8 }, msg: 'down' },
      expected: {
        vendor_type: 'heartbeat.unknown',
        state: 'info',
        title: 'Monitor 8',
        summary: 'down',
        episode_key: 'monitor:8',
      },
    },
    {
      name: 'reads a heartbeat of no monitor',
      payload: { heartbeat: {} },
      expected: { title: 'Monitor ', episode_key: 'monitor:' },
    },
    {
      name: 'takes a message for a notice',
      payload: { heartbeat: null, msg: 'Certificate expires' },
      expected: {
        state: 'info',
        vendor_type: 'notice',
        title: 'Certificate expires',
        episode_key: 'notice:Certificate expires',
        test: false,
      },
    },
    { name: 'marks a message about a test', payload: { msg: 'Testing' }, expected: { test: true } },
    { name: 'names a notice without a message', payload: { heartbeat: null }, expected: { title: 'Notice' } },
  ]);

  for (const [status, state] of ['firing', 'resolved', 'unknown', 'suppressed', 'info'].entries())
    it(`takes the status ${status} for ${state}`, () => {
      expect(draftsOf('uptime-kuma', { heartbeat: { status } })[0]?.state).to.equal(state);
    });

  itRefuses('uptime-kuma', [{}, [], 'msg', { monitor: {} }]);

  it('reads a query, in parts', () => {
    const asked = (query: Record<string, string>) =>
      decoded('uptime-kuma', arrivalOf(new URLSearchParams(query).toString(), {}, { method: 'GET' }));
    expect(asked({ heartbeat: '{"status":0}', monitor: '{"id":1}', msg: 'down' })).to.deep.equal({
      ...{ heartbeat: { status: 0 }, monitor: { id: 1 }, msg: 'down' },
    });
    expect(asked({})).to.deep.equal({ heartbeat: null, monitor: null, msg: undefined });
  });

  it('reads JSON whatever its type, and the field of a form', () => {
    const [body, type] = form('--x\nContent-Disposition: form-data; name="data"\n\n{"a":1}\n--x--');
    expect(decoded('uptime-kuma', arrivalOf('{"a":1}'))).to.deep.equal({ a: 1 });
    expect(decoded('uptime-kuma', arrivalOf('{"a":1}', { 'content-type': 'application/json' }))).to.deep.equal({
      a: 1,
    });
    expect(decoded('uptime-kuma', arrivalOf(body, { 'content-type': type }))).to.deep.equal({ a: 1 });
    expect(decoded('uptime-kuma', arrivalOf(body, { 'content-type': `M${type.slice(1)}` }))).to.deep.equal({ a: 1 });
    const other = Buffer.from(body.toString().replace('"data"', '"date"'));
    expect(() => decoded('uptime-kuma', arrivalOf(other, { 'content-type': type }))).to.throw(/no field data/);
  });

  it('shows the header that presents the secret', () => {
    const headers = (auth: Parameters<typeof pasted>[2]): unknown =>
      JSON.parse(pasted(uptimeKuma, 'Additional Headers', auth));
    expect(headers({ scheme: 'url' })).to.deep.equal({});
    expect(headers({ scheme: 'header' })).to.deep.equal({ 'x-orb-token': 's3cret' });
    expect(headers({ scheme: 'header', header: 'X-Own' })).to.deep.equal({ 'X-Own': 's3cret' });
  });
});

describe('a field of a form', () => {
  const part = (name: string, text: string): string =>
    `--x\nContent-Disposition: form-data; name="${name}"\n\n${text}\n`;
  const find = (text: string, type?: string): string | undefined => {
    const [body, usual] = form(text);
    return fieldOfForm(body, type ?? usual, 'data')?.toString();
  };
  const end = '--x--\n';
  const rows: readonly (readonly [string, string, string | undefined, string?])[] = [
    ['the first', `${part('data', 'a')}${part('b', 'c')}${end}`, 'a'],
    ['a later one', `${part('b', 'c')}${part('data', 'a')}${end}`, 'a'],
    [
      'one among other headers',
      `--x\nX-Own: 1\ncontent-disposition: form-data; name="data"; filename="f"\n\na\n${end}`,
      'a',
    ],
    ['an empty one', `${part('data', '')}${end}`, ''],
    [
      'one with a quoted boundary',
      `${part('data', 'a')}${end}`,
      'a',
      'multipart/form-data; boundary="x"; charset=utf-8',
    ],
    ['one before other words', `${part('data', 'a')}${end}`, 'a', 'multipart/form-data; Boundary=x; charset=utf-8'],
    ['not one that does not end', part('data', 'a'), undefined],
    ['not one without a head', `--x\n${part('b', 'a')}`, undefined],
    ['not the words of another header', `--x\nX-Own: form-data; name="data"\n\na\n${end}`, undefined],
    ['not the name of another', `${part('database', 'a')}${end}`, undefined],
    [
      'not one whose head belongs to the next part',
      `--x\nContent-Disposition: form-data; name="data"\n${part('b', 'c')}${end}`,
      undefined,
    ],
    ['not one without a boundary', `${part('data', 'a')}${end}`, undefined, 'multipart/form-data'],
    ['not one of an empty body', '', undefined],
    ['the twentieth', `${part('b', 'c').repeat(19)}${part('data', 'a')}${end}`, 'a'],
    ['not the one after it', `${part('b', 'c').repeat(20)}${part('data', 'a')}${end}`, undefined],
  ];
  for (const [name, text, expected, type] of rows)
    it(`is ${name}`, () => {
      expect(find(text, type)).to.equal(expected);
    });
});
