import { expect } from 'chai';
import type { JsonSchema } from '../../../kernel/index.ts';
import { secretsOf } from '../../../plugins/stored-providers/secrets.ts';
import { builtin } from '../../helpers/shipped.ts';

/** Lists the keywords that lead to each `secret: true` of a schema. */
function waysToSecrets(schema: unknown, way: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof schema !== 'object' || schema === null) return [];
  if ((schema as JsonSchema)['secret'] === true) return [way];
  return Object.entries(schema).flatMap(([name, part]) => waysToSecrets(part, [...way, name]));
}

/** Makes a configuration that has something at the end of such a way. */
function configAt([keyword, name = '', ...rest]: readonly string[]): unknown {
  if (keyword === undefined) return 'hidden';
  if (keyword === 'properties') return { [name]: configAt(rest) };
  const below = name === '' ? [] : [name, ...rest];
  return keyword === 'items' ? [configAt(below)] : { some: configAt(below) };
}

describe('the secrets of a configuration', () => {
  for (const { name, config } of builtin.adapters) {
    const ways = waysToSecrets(config);
    if (ways.length === 0) continue;
    it(`of ${name} are found wherever its schema has one`, () => {
      for (const way of ways) expect(secretsOf(configAt(way) as object, config), way.join('/')).to.have.length(1);
    });
  }
});
