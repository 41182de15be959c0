import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDir } from '../helpers/folder.ts';
import type { Served } from '../helpers/served.ts';
import { storeVariables } from '../helpers/store-engine.ts';

/** What a command of `orb` ended with. */
export interface Ended {
  readonly status: number | null;
  readonly output: string;
}

/** The server under soak, over all its lives. */
export interface Site {
  readonly served: Served;
  readonly url: string;
  readonly adminKey: string;
  /** Process id of the server, and which life of it this is, from 0. */
  readonly pid: number;
  readonly life: number;
  readonly serving: boolean;
  /** How long the longest start took until the server listened. */
  readonly longestStartMs: number;
  start(): Promise<void>;
  /** Ends the server and starts it again; answers the exit code of a SIGTERM, undefined after a SIGKILL. */
  restart(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null | undefined>;
  /** Resolves when the server listens. */
  up(): Promise<void>;
  /** Says whether a restart was under way at any time since then. */
  disturbedSince(atMs: number): boolean;
  /** Runs a command of `orb` in the home while the server goes on. */
  orb(...args: readonly string[]): Promise<Ended>;
}

// A server that has just begun to listen may still say that it is getting ready.
const settleMs = 3000;

/** Makes a site of a home; nothing is started yet. */
export function createSite(served: Served): Site {
  const program = join(packageDir, 'kernel/orb.js');
  const state = { url: '', adminKey: '', pid: 0, life: -1, serving: false, longestStartMs: 0, settledAt: 0 };
  let listening = Promise.withResolvers<void>();

  const start = async (): Promise<void> => {
    const begun = Date.now();
    const { url, key } = await served.start();
    const pid = Number(readFileSync(join(served.stateDir, 'lock'), 'utf8').split('\n')[0]);
    const took = Date.now() - begun;
    Object.assign(state, { url, adminKey: key, pid, life: state.life + 1, serving: true });
    Object.assign(state, { longestStartMs: Math.max(took, state.longestStartMs), settledAt: Date.now() + settleMs });
    listening.resolve();
  };

  return {
    served,
    get url() {
      return state.url;
    },
    get adminKey() {
      return state.adminKey;
    },
    get pid() {
      return state.pid;
    },
    get life() {
      return state.life;
    },
    get serving() {
      return state.serving;
    },
    get longestStartMs() {
      return state.longestStartMs;
    },
    start,
    async restart(signal) {
      state.serving = false;
      // The load goes on until the process is gone: what is under way then is what a restart must not lose.
      const code = signal === 'SIGTERM' ? await served.stop() : await served.kill();
      listening = Promise.withResolvers<void>();
      await start();
      return code ?? undefined;
    },
    up: () => listening.promise,
    disturbedSince: (atMs) => !state.serving || atMs < state.settledAt,
    orb: (...args) =>
      new Promise((resolve) => {
        const store = storeVariables(served.home);
        const env = { PATH: process.env['PATH'] ?? '', ORB_LOG_LEVEL: 'error', ORB_URL: state.url, ...store };
        const child = spawn(process.execPath, [program, ...args], { cwd: served.home, env });
        let output = '';
        child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
        child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
        child.once('close', (status) => resolve({ status, output: output.trim() }));
      }),
  };
}
