import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { literalSecrets, referencedVariables, resolveReferences } from '../../../kernel/config/secret.ts';

describe('references of a configuration', () => {
  let home: string;
  beforeEach(() => void (home = mkdtempSync(join(tmpdir(), 'orb-secret-'))));
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  function resolved(raw: unknown, env: Readonly<Record<string, string>> = {}): { value: unknown; faults: string[] } {
    const faults: string[] = [];
    return { value: resolveReferences(raw, 'p', { env, home }, faults), faults };
  }

  it('become values wherever they stand; all else stays as it is', () => {
    const raw = { a: [{ $env: 'A' }, 1, null], b: { c: { $env: 'A' } } };
    expect(resolved(raw, { A: 'x' })).to.deep.equal({ value: { a: ['x', 1, null], b: { c: 'x' } }, faults: [] });
  });

  it('to a variable that is empty are as wrong as to one that is not set', () => {
    const fault = 'p/a: the environment variable A is not set';
    for (const env of [{}, { A: '' }])
      expect(resolved({ a: { $env: 'A' } }, env)).to.deep.equal({ value: { a: '' }, faults: [fault] });
  });

  it('to a file may hold 1 MiB, and not a byte more', () => {
    writeFileSync(join(home, 'fits'), 'x'.repeat(1_048_576));
    writeFileSync(join(home, 'long'), 'x'.repeat(1_048_577));
    expect(resolved({ $file: 'fits' }).value).to.have.length(1_048_576);
    expect(resolved({ $file: 'long' }).faults[0]).to.include('long is not a regular file of at most 1048576 bytes');
  });

  it('to a file drop one line end', () => {
    writeFileSync(join(home, 'unix'), 'one\n\n');
    writeFileSync(join(home, 'windows'), 'two\r\n');
    expect(resolved([{ $file: 'unix' }, { $file: 'windows' }]).value).to.deep.equal(['one\n', 'two']);
  });

  it('are alone in their object and name a text: anything else is a value like others', () => {
    for (const raw of [{ $env: 'A', more: 1 }, { more: 1, $env: 'A' }, { $env: 1 }, { $other: 'A' }, {}])
      expect(resolved(raw, { A: 'x' })).to.deep.equal({ value: raw, faults: [] });
  });

  it('name the variables that are known by them', () => {
    const raw = { a: { $env: 'A' }, b: [{ $env: 'B' }, { $file: 'C' }], c: { $env: 'D', more: 1 } };
    expect(referencedVariables(raw)).to.deep.equal(['A', 'B']);
  });

  describe('are the only form of a secret', () => {
    const secret = { type: 'string', secret: true } as const;
    const schema = {
      type: 'object',
      properties: {
        key: secret,
        nested: { type: 'object', properties: { key: secret } },
        list: { type: 'array', items: { type: 'object', properties: { key: secret } } },
      },
      additionalProperties: secret,
    } as const;
    const found = (raw: unknown): string[] => literalSecrets(raw, schema, 'p').map((line) => line.split(':')[0] ?? '');

    it('wherever the schema marks one', () => {
      const raw = { key: 'x', nested: { key: 'x' }, list: [{ key: 'x' }, { key: { $env: 'A' } }], other: 'x' };
      expect(found(raw)).to.deep.equal(['p/key', 'p/nested/key', 'p/list/0/key', 'p/other']);
      expect(found({ key: { $env: 'A' }, nested: { key: { $file: 'a' } } })).to.deep.equal([]);
    });

    it('also under a name that every object inherits', () => {
      expect(found({ toString: 'x', constructor: 'x' })).to.deep.equal(['p/toString', 'p/constructor']);
    });

    it('and no object that only resembles a reference is one', () => {
      expect(found({ key: { $env: 'A', more: 1 } })).to.deep.equal(['p/key']);
    });
  });
});
