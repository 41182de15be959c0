import { full, good, itAnswers, known, type Scenario } from './scenario.ts';

const nested = (depth: number): string =>
  `{"orb_id":"demo.echo@1.0.0","inputs":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`;

const scenarios: readonly Scenario[] = [
  { name: 'a good run', body: good, status: 200, hooks: full },
  { name: 'no JSON', body: 'hello', status: 400, problem: 'malformed_json', hooks: known },
  { name: 'an empty body', body: '', status: 400, problem: 'malformed_json', hooks: known },
  { name: 'a JSON scalar', body: '7', status: 422, problem: 'invalid_body', hooks: known },
  { name: 'cut JSON', body: good.slice(0, -1), status: 400, problem: 'malformed_json', hooks: known },
  {
    name: 'duplicate keys',
    body: '{"orb_id":"demo.echo@1.0.0","inputs":{"text":"x","text":"y"}}',
    status: 400,
    problem: 'malformed_json',
    hooks: known,
  },
  {
    name: 'duplicate keys by escapes',
    body: '{"orb_id":"demo.echo@1.0.0","inputs":{"text":"x","te\\u0078t":"y"}}',
    status: 400,
    problem: 'malformed_json',
    hooks: known,
  },
  {
    name: '__proto__',
    body: '{"orb_id":"demo.echo@1.0.0","inputs":{"text":"x"},"__proto__":{}}',
    status: 400,
    problem: 'malformed_json',
    hooks: known,
  },
  { name: 'deep nesting', body: nested(100), status: 400, problem: 'malformed_json', hooks: known },
  { name: 'very deep nesting', body: nested(100_000), status: 400, problem: 'malformed_json', hooks: known },
  {
    name: 'bad UTF-8',
    body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
    status: 400,
    problem: 'malformed_json',
    hooks: known,
  },
  { name: 'a NUL byte', body: '\0', status: 400, problem: 'malformed_json', hooks: known },
  {
    name: 'a body of 2 MB',
    body: `{"orb_id":"demo.echo@1.0.0","inputs":{"text":"${'x'.repeat(2_000_000)}"}}`,
    status: 413,
    problem: 'payload_too_large',
    hooks: known,
  },
  {
    name: 'a form',
    body: 'a=b',
    type: 'application/x-www-form-urlencoded',
    status: 415,
    problem: 'unsupported_media_type',
    hooks: known,
  },
  { name: 'missing fields', body: '{}', status: 422, problem: 'invalid_body', hooks: known },
  {
    name: 'an unknown field',
    body: '{"orb_id":"demo.echo@1.0.0","inputs":{"text":"x"},"color":1}',
    status: 422,
    problem: 'invalid_body',
    hooks: known,
  },
  {
    name: 'a wrong type',
    body: '{"orb_id":1,"inputs":{"text":"x"}}',
    status: 422,
    problem: 'invalid_body',
    hooks: known,
  },
  {
    name: 'a list as inputs',
    body: '{"orb_id":"demo.echo@1.0.0","inputs":[]}',
    status: 422,
    problem: 'invalid_body',
    hooks: known,
  },
  {
    name: 'an unknown input',
    body: '{"orb_id":"demo.echo@1.0.0","inputs":{"text":"x","more":1}}',
    status: 422,
    problem: 'invalid_inputs',
    hooks: known,
  },
  {
    name: 'a negative timeout',
    body: '{"orb_id":"demo.echo@1.0.0","inputs":{"text":"x"},"timeout_ms":-1}',
    status: 422,
    problem: 'invalid_body',
    hooks: known,
  },
];

describe('the front door, asked with a body of any kind', () => {
  itAnswers(scenarios);
});
