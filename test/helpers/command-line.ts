import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { needsProcess, runInThread, type Ended } from './in-thread.ts';
import { shippedProgram } from './program.ts';
import { createServed, type Served } from './served.ts';

/** The program, as `node` runs it. */
export const program = shippedProgram;

/** Providers of the served home. */
export const providers = {
  outbox: { adapter: 'email/outbox' },
  echo: { adapter: 'echo/local' },
  second: { adapter: 'echo/local' },
};

export type { Ended };

/** What replaces the admin's key, the standard input and the address of the server. */
export interface Given {
  readonly key: string;
  readonly input: string;
  readonly url: string;
}

/** Answer of `orb run --json`, as far as tests read it. */
export interface Run {
  readonly outputs: object;
  readonly receipt: { readonly receipt_id: string };
}

/** A served home and the commands of `orb` beside it. */
export interface CommandLine {
  readonly served: Served;
  /** Starts the server again; commands ask it at its new address. */
  start(): Promise<void>;
  /** Runs a command in the home. */
  run(args: readonly string[], given?: Partial<Given>): Ended;
  /** Runs a command that must succeed; answers what it prints. */
  orb(...args: readonly string[]): string;
  /** Runs a command that must succeed, with --json; answers what it prints, parsed. */
  json<T>(...args: readonly string[]): T;
  /** Writes a file into the home and answers its name. */
  file(name: string, content: unknown): string;
}

/** Starts a server with three providers, and more. `apart`: each command is a process of its own. */
export async function startCommandLine({
  apart = false,
  more = {},
}: { readonly apart?: boolean; readonly more?: object } = {}): Promise<CommandLine> {
  const served = createServed({ providers: { ...providers, ...more } });
  let address = '';
  const start = async (): Promise<void> => {
    address = (await served.start()).url;
  };
  await start();
  const run = (args: readonly string[], { key, input = '', url = address }: Partial<Given> = {}): Ended => {
    const env = { PATH: process.env['PATH'] ?? '', ORB_URL: url, ...(key === undefined ? {} : { ORB_KEY: key }) };
    if (!apart && !needsProcess(args)) return runInThread(served.home, { args, env });
    return spawnSync(process.execPath, [program, ...args], { cwd: served.home, env, input, encoding: 'utf8' });
  };
  const orb = (...args: readonly string[]): string => {
    const { status, stdout, stderr } = run(args);
    expect(status, stderr).to.equal(0);
    return stdout;
  };
  return {
    served,
    start,
    run,
    orb,
    json: <T>(...args: readonly string[]) => JSON.parse(orb(...args, '--json')) as T,
    file(name, content) {
      writeFileSync(join(served.home, name), typeof content === 'string' ? content : JSON.stringify(content));
      return name;
    },
  };
}
