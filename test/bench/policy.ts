import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { distPath } from '../../plugins/policy/toolchain/locate.ts';
import { shippedFolder } from '../../plugins/policy/shipped.ts';
import { createServed } from '../helpers/served.ts';
import { load, median, writeScript, type Round } from './load.ts';
import { policyDecisions } from './policy-decisions.ts';
import { quiet } from './quiet.ts';
import { startGoverned, type Target } from './server.ts';

/** How much is measured. */
export interface PolicyBench {
  readonly seconds: number;
  readonly rounds: number;
}

/** Prints what policy costs: a decision, a governed run, the way from a dropped file to its effect, memory. */
export async function policyCosts(dir: string, options: PolicyBench): Promise<void> {
  await policyDecisions(Math.min(options.seconds, 3));
  await runCosts(dir, options);
  if (!existsSync(distPath())) {
    console.log('\nleft out: drop to effect and memory of the compiler; npm run build:compiler makes one');
    return;
  }
  await dropToEffect(Math.max(3, options.rounds));
  memory();
}

const always = { plugins: { always: { from: join(import.meta.dirname, 'policy-always.ts') } }, authorize: 'always' };
const variants: readonly (readonly [string, object])[] = [
  ['allowed without looking', always],
  ['policy, from the cache', {}],
  ['policy, evaluated each time', { plugins: { policy: { config: { cache: false } } } }],
];

async function runCosts(dir: string, { seconds, rounds }: PolicyBench): Promise<void> {
  const targets: Target[] = [];
  try {
    for (const [, settings] of variants) targets.push(await startGoverned({ settings }));
    const results = targets.map((): Round[] => []);
    for (let round = 0; round <= rounds; round += 1)
      for (const [index, target] of targets.entries()) {
        const script = join(dir, `policy-${index}.lua`);
        writeScript(script, target.key);
        const figures = await load(target, script, 64, round === 0 ? 1 : seconds);
        // What follows a run, the audit above all, would take from the next.
        await quiet(target.pid);
        // The first round warms up.
        if (round > 0) results[index]?.push(figures);
      }
    console.log(
      '\nPolicy in a governed run, 64 connections           per s   of first   CPU µs    p50 ms    p99 ms   errors',
    );
    for (const [index, [name]] of variants.entries()) console.log(row(name, results[index] ?? [], results[0] ?? []));
  } finally {
    for (const target of targets) await target.stop();
  }
}

function row(name: string, rounds: readonly Round[], first: readonly Round[]): string {
  const figure = (of: (round: Round) => number, among = rounds): number => median(among.map(of));
  const share = figure(({ perSecond }) => perSecond) / figure(({ perSecond }) => perSecond, first);
  const cells = [
    figure(({ perSecond }) => perSecond)
      .toFixed(0)
      .padStart(8),
    `${(share * 100).toFixed(0)} %`.padStart(10),
    figure(({ cpuMicros }) => cpuMicros)
      .toFixed(0)
      .padStart(8),
    figure(({ p50 }) => p50)
      .toFixed(2)
      .padStart(9),
    figure(({ p99 }) => p99)
      .toFixed(2)
      .padStart(9),
    figure(({ errors }) => errors)
      .toFixed(0)
      .padStart(8),
  ];
  return `  ${name.padEnd(46)}${cells.join(' ')}`;
}

const forbidding = (word: string): string => `package orb.policies.dropped

deny contains "no ${word}" if {
	input.action.name == "execute"
	input.context.inputs.text == "${word}"
}
`;

async function dropToEffect(rounds: number): Promise<void> {
  const served = createServed();
  const folder = join(served.home, 'policies');
  cpSync(shippedFolder, folder, { recursive: true });
  const { url, key } = await served.start();
  const status = async (text: string): Promise<number> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ orb_id: 'demo.echo@1.0.0', inputs: { text } });
    const answer = await fetch(`${url}/orbisets/default/execute`, { method: 'POST', headers, body });
    await answer.arrayBuffer();
    return answer.status;
  };
  const until = async (wanted: number, text: string): Promise<number> => {
    const begun = performance.now();
    while ((await status(text)) !== wanted) if (performance.now() - begun > 60_000) throw new Error('no effect');
    return performance.now() - begun;
  };
  const [dropped, deleted, known]: [number[], number[], number[]] = [[], [], []];
  try {
    for (let round = 0; round < rounds; round += 1) {
      const word = `word${round}`;
      writeFileSync(join(folder, 'dropped.rego'), forbidding(word));
      dropped.push(await until(403, word));
      rmSync(join(folder, 'dropped.rego'));
      deleted.push(await until(200, word));
      writeFileSync(join(folder, 'dropped.rego'), forbidding(word));
      known.push(await until(403, word));
      rmSync(join(folder, 'dropped.rego'));
      await until(200, word);
    }
    const restart = performance.now();
    await served.stop();
    await served.start();
    const restarted = performance.now() - restart;
    console.log('\nFrom a change of the policies folder to its effect, under one caller   median ms   of a restart');
    const rows = [
      ['a file dropped: checked, compiled, in force', dropped],
      ['the file deleted: an earlier revision again', deleted],
      ['the same file dropped again', known],
      ['a restart of the server', [restarted]],
    ] as const;
    for (const [name, figures] of rows)
      console.log(
        `  ${name.padEnd(66)} ${median(figures).toFixed(0).padStart(11)} ${`${((median(figures) / restarted) * 100).toFixed(0)} %`.padStart(14)}`,
      );
  } finally {
    await served.remove();
  }
}

function memory(): void {
  const args = [join(import.meta.dirname, 'policy-memory.ts'), distPath()];
  const told = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as Record<string, number>;
  const { before = 0, idle = 0, gone = 0, first = 0, second = 0 } = told;
  const mb = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(0)} MB (${(bytes / before).toFixed(1)} ×)`;
  console.log('\nThe policy compiler in a process of its own');
  console.log(`  RSS before / compiler idle / compiler gone     ${mb(before)} / ${mb(idle)} / ${mb(gone)}`);
  console.log(
    `  first check, its start included / the next     ${first.toFixed(0)} ms / ${second.toFixed(0)} ms (${((second / first) * 100).toFixed(0)} %)`,
  );
}
