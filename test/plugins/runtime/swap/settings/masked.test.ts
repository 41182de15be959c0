import { expect } from 'chai';
import { referenceOf, shownValue } from '../../../../../plugins/runtime/swap/settings/masked.ts';

const hidden = { hidden: true } as const;
const shown = (value: unknown) => ({ value: JSON.stringify(value) });
const secret = { type: 'string', secret: true };

describe('a value of the configuration', () => {
  for (const [name, raw, schema, expected] of [
    ['host', 'mail.example.com', undefined, shown('mail.example.com')],
    ['port', 587, { type: 'integer' }, shown(587)],
    ['anything', 'hunter2', secret, hidden],
    ['anything', 7, secret, hidden],
    ['api_key', 'hunter2', undefined, hidden],
    ['Authorization', 'Bearer hunter2', undefined, hidden],
    ['client_secret', 'hunter2', { type: 'string' }, hidden],
    ['most_tokens', 7, undefined, shown(7)],
    ['url', 'postgres://ada:hunter2@db/orb', undefined, shown('postgres://(hidden)@db/orb')],
    ['url', 'https://example.com/a@b', undefined, shown('https://example.com/a@b')],
    ['auth', { user: 'ada', password: 'hunter2' }, undefined, shown({ user: 'ada', password: '(hidden)' })],
    ['auth', { password: { $env: 'PASSWORD' } }, undefined, shown({ password: { $env: 'PASSWORD' } })],
    ['auth', { pin: 'hunter2' }, { properties: { pin: secret } }, shown({ pin: '(hidden)' })],
    ['headers', { a: 'hunter2' }, { additionalProperties: secret }, shown({ a: '(hidden)' })],
    ['all', [{ pin: 'hunter2' }], { items: { properties: { pin: secret } } }, shown([{ pin: '(hidden)' }])],
    ['all', ['smtp://a:hunter2@b'], undefined, shown(['smtp://(hidden)@b'])],
  ] as const)
    it(`${name} ${JSON.stringify(raw)} is shown as ${JSON.stringify(expected)}`, () => {
      expect(shownValue(name, raw, schema)).to.deep.equal(expected);
    });

  for (const [raw, expected] of [
    [{ $env: 'A' }, { source: 'environment', from: 'A' }],
    [{ $file: 'a.key' }, { source: 'secret_file', from: 'a.key' }],
    [{ $env: 'A', b: 1 }, undefined],
    [{ $env: 1 }, undefined],
    [{}, undefined],
    ['$env', undefined],
    [null, undefined],
  ] as const)
    it(`${JSON.stringify(raw)} is ${expected === undefined ? 'no reference' : 'a reference'}`, () => {
      expect(referenceOf(raw)).to.deep.equal(expected);
    });
});
