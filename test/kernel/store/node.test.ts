import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ConfigError } from '../../../kernel/error.ts';
import { operation } from '../../../kernel/index.ts';
import { nodeNameFault } from '../../../kernel/store/node.ts';
import notes from '../../helpers/stores/notes.ts';
import { rejection, Stores } from '../../helpers/stores/open.ts';

describe('the node', () => {
  const stores = new Stores();
  afterEach(() => stores.tidy());

  it('keeps the name that its first start made, and each start is another incarnation', async () => {
    const folder = stores.folder();
    const starts = [];
    for (let start = 0; start < 3; start++) {
      const store = await stores.open(folder);
      starts.push(store.node);
      await store.close();
    }
    const [{ name = '' } = {}] = starts;
    expect(name).to.match(/^node-[0-9a-f]{8}$/);
    expect(nodeNameFault(name)).to.equal(undefined);
    expect(readFileSync(join(folder, 'node'), 'utf8')).to.equal(`${name}\n`);
    expect(starts.map((node) => node.name)).to.deep.equal([name, name, name]);
    expect(new Set(starts.map(({ incarnation }) => incarnation))).to.have.property('size', 3);
    for (const { incarnation } of starts) expect(incarnation).to.match(/^[0-9a-f]{16}$/);
  });

  it('has another name in another state dir', async () => {
    const [one, other] = await Promise.all([stores.open(stores.folder()), stores.open(stores.folder())]);
    expect(one.node.name).not.to.equal(other.node.name);
  });

  it('has the name of ORB_NODE, which replaces no kept one', async () => {
    const folder = stores.folder();
    const first = await stores.open(folder);
    await first.close();
    const named = await stores.open(folder, { node: 'eins' });
    expect(named.node.name).to.equal('eins');
    await named.close();
    expect((await stores.open(folder)).node.name).to.equal(first.node.name);
  });

  it('is the same for the modules in the writer thread', async () => {
    const store = await stores.open(stores.folder());
    const [scope] = await store.write([operation(notes, 'scope', undefined)]);
    expect(scope).to.have.property('node').that.deep.equals(store.node);
  });

  it('does not start under a name that somebody spoiled', async () => {
    const folder = stores.folder();
    await (await stores.open(folder)).close();
    for (const text of ['', 'no name\n', '\0\0\0']) {
      writeFileSync(join(folder, 'node'), text);
      const error = await rejection(stores.open(folder));
      expect(error).to.be.instanceOf(ConfigError);
      expect((error as ConfigError).faults.join())
        .to.include(join(folder, 'node'))
        .and.include('must be 1 to 64');
    }
    await stores.open(folder, { node: 'eins' });
  });
});
