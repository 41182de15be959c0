import { expect } from 'chai';
import { compile } from '../../kernel/index.ts';
import { builtin } from '../helpers/shipped.ts';
import { guideBlocks, tableUnder } from '../helpers/guide.ts';

const page = 'plugins/docs/pages/operate/sms.md';

describe('the guide to providers of text messages', () => {
  it('shows configurations that its adapters take', () => {
    const blocks = guideBlocks(page).map(({ code }) => code);
    const providers = blocks.flatMap((json) => {
      const resolved = json
        .replaceAll(/\{ "\$env": ("\w+") \}/g, '$1')
        .replaceAll(/\{ "\$file": "[\w.]+" \}/g, '"-----BEGIN PRIVATE KEY-----"');
      return Object.values((JSON.parse(resolved) as { providers: object }).providers);
    });
    expect(providers).to.have.length(3);
    for (const { adapter, config } of providers as { adapter: string; config: object }[]) {
      const found = builtin.adapters.find(({ name }) => name === adapter);
      expect(compile(found?.config ?? {})(config), adapter).to.deep.equal([]);
    }
  });

  it('lists all adapters of the capability', () => {
    const listed = tableUnder(page, 'Providers of text messages').map(([name = '']) => name.replaceAll('`', ''));
    const shipped = builtin.adapters.map(({ name }) => name).filter((name) => name.startsWith('sms/'));
    expect(listed.sort()).to.deep.equal(shipped.sort());
  });
});
