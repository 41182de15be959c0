// node test/bench/stand-in-server.ts [name …]: serves as `orb serve --json` does, with stand-ins of test/bench before
// what ships. Who taps a hook first answers first: that is how a layer is left out.
import { builtin } from '../helpers/shipped.ts';
import { readConfig } from '../../kernel/config/config.ts';
import type { Plugin } from '../../kernel/surface.ts';
import { createKernel } from '../../kernel/kernel.ts';
import { load } from '../../kernel/boot/loader.ts';
import answer from './stand-in-answer.ts';
import commit from './stand-in-commit.ts';
import principal from './stand-in-principal.ts';

const known: Readonly<Record<string, Plugin>> = { answer, commit, principal };
const standIns = process.argv.slice(2).map((name) => {
  const plugin = known[name];
  if (plugin === undefined) throw new Error(`there is no stand-in ${name}; known: ${Object.keys(known).join(', ')}`);
  return plugin;
});

const read = async () => {
  const faults: string[] = [];
  const config = readConfig(process.env, process.cwd(), faults);
  const plugins = [...standIns, ...builtin.plugins];
  return { config, loaded: await load(config, { ...builtin, plugins }, faults) };
};

const kernel = await createKernel({ ...(await read()), reread: read });
console.log(JSON.stringify({ listeners: kernel.listeners }));
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void kernel.stop());
