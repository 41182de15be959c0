import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { CompilerFault, createCompiler } from '../../../../plugins/policy/toolchain/compiler.ts';
import { compilerOrSkip } from '../compiler.ts';

describe('the program of the compiler', () => {
  it('that fails between two calls does not end the process; the next call starts another', async function () {
    const compiler = createCompiler(compilerOrSkip(this));
    const refused = async (): Promise<string> => {
      const error = await compiler.call({ no: 'request' }, 60_000).catch((fault: unknown) => fault);
      return error instanceof CompilerFault ? error.kind : String(error);
    };
    const made = once(process, 'worker') as Promise<[Worker]>;
    expect(await refused()).to.equal('refused');
    const [worker] = await made;
    expect(compiler.running()).to.equal(true);
    worker.emit('error', new Error('out of memory'));
    expect(compiler.running()).to.equal(false);
    expect(await refused()).to.equal('refused');
    await worker.terminate();
    expect(compiler.running()).to.equal(true);
    await compiler.stop();
  });
});
