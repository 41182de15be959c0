import { expect } from 'chai';
import { differenceOf, masked, withBlanks } from '../../../../plugins/console/app/screens/stored/difference.ts';
import type { FormSchema } from '../../../../plugins/console/app/parts/form/schema.ts';
import type { JsonSchema } from '../../../../kernel/index.ts';
import { secretsOf, withoutSecrets } from '../../../../plugins/stored-providers/secrets.ts';
import { builtin } from '../../../helpers/shipped.ts';

const hidden = 'hidden-value-88';

/** Makes a value that has a text at each member that a schema knows. */
function sampleOf(schema: JsonSchema): unknown {
  const { properties, additionalProperties: rest, items, type } = schema;
  if (type === 'array') return [sampleOf((items ?? {}) as JsonSchema)];
  if (typeof rest === 'object' && rest !== null) return { 'a/b': sampleOf(rest as JsonSchema) };
  if (properties === undefined) return schema['secret'] === true ? hidden : 'shown';
  const members = Object.entries(properties as Record<string, JsonSchema>);
  return Object.fromEntries(members.map(([name, one]) => [name, sampleOf(one)]));
}

const schemaOf = (config: JsonSchema): FormSchema => ({ properties: { adapter: {}, config } });

describe('the difference of two providers', () => {
  const config: JsonSchema = { properties: { host: {}, port: {}, key: { secret: true }, old: { secret: true } } };
  const schema = schemaOf(config);

  it('names what is added, changed and removed; secrets without values', () => {
    const before = { adapter: 'a', config: withBlanks({ host: 'h', port: 1 }, ['/key', '/old']) };
    const after = { adapter: 'a', config: { host: 'i', key: hidden, tags: [] } };
    expect(differenceOf(before, after, schema)).to.deep.equal([
      { pointer: '/config/host', change: 'changed', before: '"h"', after: '"i"' },
      { pointer: '/config/port', change: 'removed', before: '1' },
      { pointer: '/config/key', change: 'changed' },
      { pointer: '/config/old', change: 'removed' },
      { pointer: '/config/tags', change: 'added', after: '[]' },
    ]);
  });

  it('lists all of a new one', () => {
    expect(differenceOf(undefined, { adapter: 'a', config: { key: hidden } }, schema)).to.deep.equal([
      { pointer: '/adapter', change: 'added', after: '"a"' },
      { pointer: '/config/key', change: 'added' },
    ]);
  });

  for (const { name, config: own } of builtin.adapters)
    it(`shows no secret of ${name}`, () => {
      const value = { adapter: name, config: sampleOf(own) as Record<string, unknown> };
      const secrets = secretsOf(value.config, own);
      if (secrets.length > 0) expect(JSON.stringify(value)).to.include(hidden);
      const read = withoutSecrets(value.config, own, () => undefined);
      const before = { adapter: name, config: withBlanks(read, secrets) };
      const shown = [
        masked(value, schemaOf(own)),
        differenceOf(before, value, schemaOf(own)),
        differenceOf(undefined, value, schemaOf(own)),
      ];
      expect(JSON.stringify(shown)).to.not.include(hidden);
      const changed = differenceOf(before, value, schemaOf(own)).map(({ pointer, change }) => [pointer, change]);
      expect(changed).to.have.deep.members(secrets.map((pointer) => [`/config${pointer}`, 'changed']));
    });
});
