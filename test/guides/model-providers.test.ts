import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile } from '../../kernel/index.ts';
import { packageDir } from '../helpers/folder.ts';
import { builtin } from '../helpers/shipped.ts';

const page = 'plugins/docs/pages/operate/model-providers.md';
const text = readFileSync(join(packageDir, page), 'utf8');

describe('the guide to providers of language models', () => {
  it('shows configurations that its adapters take', () => {
    const blocks = [...text.matchAll(/```json\n([^]*?)```/g)].map(([, json = '']) =>
      json.replaceAll(/\{ "\$env": ("\w+") \}/g, '$1'),
    );
    const providers = blocks.flatMap((json) => Object.values((JSON.parse(json) as { providers: object }).providers));
    expect(providers).to.have.length(3);
    for (const { adapter, config } of providers as { adapter: string; config: object }[]) {
      const found = builtin.adapters.find(({ name }) => name === adapter);
      expect(compile(found?.config ?? {})(config), adapter).to.deep.equal([]);
    }
  });
});
