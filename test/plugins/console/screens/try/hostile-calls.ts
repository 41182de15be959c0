import fc from 'fast-check';
import type { Call } from '../../../../../plugins/console/app/frame/api-call.ts';
import type { Asked } from '../../../../../plugins/console/app/screens/try/snippets.ts';

/** Where the calls go. */
export const origin = 'http://127.0.0.1:8080';

// Texts that end a quotation, or are read as code, in a shell, in JavaScript or in Python.
const hostile = [
  ...[`'`, `"`, '\\', '`', '$', '!', '@/etc/passwd', `'; touch /tmp/hit; '`, '$(touch /tmp/hit)', '`touch /tmp/hit`'],
  ...[
    '${process.exit(1)}',
    '"); process.exit(1); ("',
    `"""`,
    `'''`,
    `{os.environ['ORB_KEY']}`,
    '\\"',
    '\\u0022',
    '\\x22',
  ],
  ...[
    '\n',
    '\r\n',
    '\t\b\f\v',
    '\u0000',
    '\u007f',
    '\u2028\u2029',
    '\ufeff',
    '\u202e',
    '😀',
    '\u{e0041}',
    'É',
    '%s %d \\n',
  ],
  ...['EOF', '-d', '--', '#', '*/', '//', '<!--', '</script>', 'True', 'null', '__proto__', 'constructor'],
];
const text = fc.oneof(
  fc.constantFrom(...hostile),
  fc.array(fc.constantFrom(...hostile), { maxLength: 4 }).map((all) => all.join('')),
  fc.string({ unit: 'binary' }),
);
const value = fc.letrec<{ readonly value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.constantFrom<unknown>(true, false, null, 0, -1, 1e21, 1e-7, 0.1, 2 ** 53),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => (Object.is(one, -0) ? 0 : one)),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(text, tie('value')), { maxLength: 3 }).map((all) => Object.fromEntries(all)),
  ),
})).value;

const callOf = (orbiset: string, key: string, inputs: unknown): Call => ({
  method: 'POST',
  path: `/orbisets/${encodeURIComponent(orbiset.toWellFormed())}/execute`,
  headers: { 'Idempotency-Key': key },
  body: { orb_id: 'demo.echo@1.0.0', inputs, sandbox: true },
});

/** Makes calls with values that break out of a careless quotation. */
export const callsOf: fc.Arbitrary<Call> = fc.tuple(text, fc.uuid(), value).map((parts) => callOf(...parts));

/** One call for each hostile text: as a value, as the name of a member, and as the name of the Orbiset. */
export const hostileCalls: readonly Call[] = hostile.map((one) =>
  callOf(
    one,
    'key-1',
    Object.fromEntries([
      [one, one],
      ['list', [one, { [`${one}!`]: null }]],
    ]),
  ),
);

/** A run with values that break out of a careless quotation. */
export const runsOf: fc.Arbitrary<Asked> = fc
  .tuple(text, text, fc.dictionary(text, value, { maxKeys: 3 }), fc.option(text, { nil: undefined }))
  .map(([orbiset, orb_id, inputs, key]) => ({
    ...{ origin, orbiset, orb_id, inputs, key, sandbox: key === undefined, later: false, timeout_ms: 10_000 },
  }));

/** One run for each hostile text: as a value, as the name of a member, and as a name of its own. */
export const hostileRuns: readonly Asked[] = hostile.map((one) => ({
  ...{ origin, orbiset: one, orb_id: one, key: one, sandbox: true, later: false, timeout_ms: 10_000 },
  inputs: Object.fromEntries([
    [one, one],
    ['list', [one, { [`${one}!`]: null }]],
  ]),
}));

/** What the client is given for a run. */
export function givenOf({ origin: url, orb_id, inputs, orbiset, sandbox, key }: Asked) {
  const options = { orbiset, ...(sandbox ? { sandbox } : {}), ...(key === undefined ? {} : { key }) };
  // Not by JSON.parse: V8 may read an escaped name as one that it read before (nodejs/node#63785).
  return { url, orb_id, inputs: structuredClone(inputs) as unknown, options };
}
