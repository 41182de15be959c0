import assert from 'node:assert/strict';
import { compile, type JsonSchema } from '../../../kernel/index.ts';
import { expectNone } from './expectation.ts';
import type { Check, ConformanceOptions } from './options.ts';

/** Checks of an adapter's declaration; nothing is opened. */
export function definitionChecks({ adapter }: ConformanceOptions): readonly Check[] {
  const check = (title: string, run: () => void): Check => ({ title, run: async () => run() });
  return [
    check('names itself <capability>/<adapter> and has a strict configuration schema', () => {
      assert.match(adapter.name, new RegExp(`^${adapter.capability}/[a-z0-9-]+$`));
      assert.doesNotThrow(() => compile(adapter.config));
      assert.equal(
        adapter.config['additionalProperties'],
        false,
        'unknown settings are not refused: additionalProperties',
      );
    }),
    check('marks every setting that sounds like a secret', () =>
      expectNone(unmarkedSecrets(adapter.config), 'settings without `secret: true`'),
    ),
  ];
}

/** Paths of settings that are named like a secret and are not marked as one. */
function unmarkedSecrets(schema: JsonSchema, path = ''): string[] {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>);
  return properties.flatMap(([name, property]) => {
    const sounds = /pass|secret|token|credential|api_?key|private/i.test(name);
    const unmarked = sounds && property['type'] === 'string' && property['secret'] !== true;
    return [...(unmarked ? [`${path}/${name}`] : []), ...unmarkedSecrets(property, `${path}/${name}`)];
  });
}
