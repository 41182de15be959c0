import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { createReaderLink } from '../../../../kernel/store/serving/reads.ts';
import gated, { gateVariable } from '../../../helpers/stores/gated.ts';
import { rejection, Stores } from '../../../helpers/stores/open.ts';
import { until } from '../../../helpers/until.ts';

const file = fileURLToPath(new URL('../../../helpers/stores/gated.ts', import.meta.url));
const modules = [{ name: 'gated', file }];

describe('reads of two threads', () => {
  const stores = new Stores();
  let gate: string;
  let stop: () => Promise<void> = () => Promise.resolve();
  beforeEach(() => void (gate = stores.folder()));
  const threads = (stateDir: string) => {
    const link = createReaderLink({ stateDir, modules }, 2);
    stop = link.stop;
    const { thread } = link.awaited('gated', gated.read({ prepare: () => ({}) } as never));
    return (count: number) => Promise.all(Array.from({ length: count }, () => thread()));
  };
  const openGate = (): void => writeFileSync(join(gate, 'open'), '');
  afterEach(async () => {
    delete process.env[gateVariable];
    openGate();
    await stop();
    await stores.tidy();
  });

  it('do not wait for a thread that starts, and use it once it has', async () => {
    const folder = stores.folder();
    await (await stores.open(folder, { modules: [{ module: gated, file }] })).close();
    process.env[gateVariable] = gate;
    const read = threads(folder);
    const [first] = await read(1);
    expect(new Set(await read(20))).to.deep.equal(new Set([first]));
    openGate();
    await until(
      () => read(20),
      (found) => new Set(found).size === 2,
      'the answers of two threads',
    );
  });

  it('are answered once a store can be opened that could not at first', async () => {
    const folder = stores.folder();
    const read = threads(folder);
    expect(((await rejection(read(1))) as Error).message).to.contain('unable to open');
    await (await stores.open(folder, { modules: [{ module: gated, file }] })).close();
    expect(await read(1)).to.have.length(1);
  });
});
