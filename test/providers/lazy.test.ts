import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

const providers = new URL('../../providers/', import.meta.url).pathname;
const sources = readdirSync(providers, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

describe('adapters', () => {
  for (const file of sources)
    it(`${file} loads no package before a provider of it is opened`, () => {
      const text = readFileSync(join(providers, file), 'utf8');
      const imports = [...text.matchAll(/^(?:import|export)\s+(?!type\b)[^;]*?from\s+'([^']+)'/gm)].map(
        ([, from]) => from,
      );
      expect(imports.filter((from) => !/^(?:\.|node:)/.test(from ?? ''))).to.deep.equal([]);
    });
});
