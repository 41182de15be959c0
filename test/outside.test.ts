import { expect } from 'chai';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { platformFile, variables } from '../kernel/config/settings.ts';
import { scopesOf } from '../kernel/kernel.ts';
import { shippedCommands } from '../kernel/main.ts';
import { startPlatform, type TestPlatform } from './helpers/platform.ts';
import { builtin, shippedProblems } from './helpers/shipped.ts';
import { inStore } from './helpers/stored.ts';
import { updating } from './helpers/updating.ts';

const golden = new URL('golden/outside/', import.meta.url);

/** What users of the program see of it beside the API, whose document has golden files of its own. */
const outside: Readonly<Record<string, (platform: TestPlatform) => unknown>> = {
  commands: () =>
    Object.fromEntries(
      [...shippedCommands()].sort(byName(({ path }) => path)).map(({ path, run: _, ...command }) => [path, command]),
    ),
  problems: () => [...shippedProblems.values()].sort(byName(({ code }) => code)),
  scopes: () => scopesOf(builtin.plugins),
  settings: () => ({ file: platformFile, variables, plugins: configOf(builtin.plugins) }),
  adapters: () =>
    Object.fromEntries(
      [...builtin.adapters]
        .sort(byName(({ name }) => name))
        .map((adapter) => [adapter.name, { capability: adapter.capability, config: adapter.config }]),
    ),
  metrics: async ({ call }) =>
    String((await call('GET', '/metrics')).body)
      .split('\n')
      .filter((line) => /^# (?:HELP|TYPE) /.test(line))
      .sort(),
  // The tables of the store itself are those of its engine.
  tables: async ({ home }) =>
    (
      await inStore(
        home,
        `SELECT store, number, sha256 FROM kernel_migrations WHERE store NOT IN ('', 'kernel') ORDER BY store, number`,
      )
    ).map(({ store, number, sha256 }) => [store, number, sha256].join(' ')),
};

function byName<T>(name: (one: T) => string): (one: T, other: T) => number {
  return (one, other) => (name(one) < name(other) ? -1 : 1);
}

function configOf(plugins: typeof builtin.plugins): object {
  return Object.fromEntries([...plugins].sort(byName(({ name }) => name)).map(({ name, config }) => [name, config]));
}

describe('the outside of the program', () => {
  let platform: TestPlatform;
  before(async () => {
    platform = await startPlatform();
    if (updating) await mkdir(golden, { recursive: true });
  });
  after(() => platform.stop());

  for (const [name, read] of Object.entries(outside))
    it(`keeps its ${name} as the golden file has them (UPDATE_GOLDEN=1 writes it again)`, async () => {
      const path = new URL(`${name}.json`, golden);
      const text = `${JSON.stringify(await read(platform), null, 1)}\n`;
      if (updating) await writeFile(path, text);
      expect(JSON.parse(text)).to.deep.equal(JSON.parse(await readFile(path, 'utf8')));
    });
});
