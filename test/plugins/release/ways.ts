import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { unpackDebian } from './base.ts';
import { expectDone } from './operations/engine.ts';
import { hasProgram, home, makeHome, path, runIn, serveIn, type Room, type Running } from './room.ts';

/** A Debian in which nothing is installed yet, and an empty home. */
export function emptyRoom(dir: string, address: string): Room {
  const root = join(dir, 'root');
  unpackDebian(root);
  expect(['node', 'go', 'cc', 'gcc', 'make'].filter((one) => hasProgram(root, one))).to.deep.equal([]);
  mkdirSync(join(root, home));
  const env = { PATH: path, ORB_LISTEN: address, ORB_URL: `http://${address}` };
  return { root, program: '', env, homeFolder: makeHome(join(dir, 'home')) };
}

/** Does as systemd does to start a unit. */
export async function serveByUnit(room: Room, unit: string): Promise<Running> {
  const lines = readFileSync(join(room.root, 'usr/lib/systemd/system', unit), 'utf8').split('\n');
  const valuesOf = (name: string): readonly string[] =>
    lines.flatMap((line) => (line.startsWith(`${name}=`) ? [line.slice(name.length + 1)] : []));
  const variables = valuesOf('Environment').flatMap((value) => value.split(' ').map((pair) => pair.split('=')));
  const started = { ...room, env: { ...room.env, ...(Object.fromEntries(variables) as Record<string, string>) } };
  expect([valuesOf('WorkingDirectory'), valuesOf('StateDirectory')]).to.deep.equal([[home], ['orb']]);
  for (const command of valuesOf('ExecStartPre')) {
    const [, script = ''] = /^\/bin\/sh -c '(.*)'$/.exec(command) ?? [];
    expectDone(runIn(started, '/bin/sh', '-c', script));
  }
  const [command = ''] = valuesOf('ExecStart');
  return serveIn(started, ...command.split(' '));
}
