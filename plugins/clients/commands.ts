import { readFileSync, writeFileSync } from 'node:fs';
import { defineCommand, type Command, type CommandCall } from '../../kernel/index.ts';
import { everyPage, optionsOf } from '../terminal/contract.ts';
import { differences, typedOrbs, type OrbSchemas } from './generate/orbs.ts';
import { pythonFile } from './generate/python.ts';
import { typescriptFile } from './generate/typescript.ts';

/** The commands `orb client …`. */
export const clientCommands: readonly Command[] = [
  defineCommand({
    path: 'client types',
    summary: 'write the types of the Orbs that the key can read, for the client of a language',
    options: optionsOf({
      '--lang <language>': { description: 'ts or py', default: 'ts' },
      '--out <file>': 'the file to write; the standard output unless given',
      '--check': 'write nothing: compare the file with the server, and end with 1 when they differ',
      '--strict': 'TypeScript: an id that the file does not name is an error',
    }),
    run: writeTypes,
  }),
];

async function writeTypes(call: CommandCall): Promise<number> {
  const { lang, out, strict, check } = call.options;
  if (lang !== 'ts' && lang !== 'py') throw new Error('--lang is ts or py');
  const orbs = typedOrbs(await readOrbs(call));
  if (check === true) {
    if (typeof out !== 'string') throw new Error('--check compares the file of --out; name it');
    const found = differences(readFileSync(out, 'utf8'), orbs);
    call.print({ file: out, differences: found }, found.length === 0 ? `${out} fits the server` : found.join('\n'));
    return found.length === 0 ? 0 : 1;
  }
  const server = call.env['ORB_URL'] ?? 'this server';
  const file = lang === 'ts' ? typescriptFile(orbs, server, strict === true) : pythonFile(orbs, server);
  const isSaved = typeof out === 'string';
  if (isSaved) writeFileSync(out, file);
  const ids = orbs.map(({ orb_id }) => orb_id);
  call.print({ file: out, orbs: ids }, isSaved ? `${out}: ${ids.length} Orbs` : file.trimEnd());
  return 0;
}

async function readOrbs(call: CommandCall): Promise<readonly OrbSchemas[]> {
  const found: OrbSchemas[] = [];
  for (const { orb_id } of await everyPage<Pick<OrbSchemas, 'orb_id'>>(call, '/orbs', 'orbs')) {
    const path = `/orbs/${encodeURIComponent(orb_id)}`;
    found.push((await call.client().request<{ readonly manifest: OrbSchemas }>('GET', path)).manifest);
  }
  return found;
}
