import { readFileSync, writeFileSync } from 'node:fs';
import { defineCommand, type Command, type CommandCall } from '../../kernel/index.ts';
import { optionsOf } from '../terminal/contract.ts';
import { differences, typedOrbs, type OrbSchemas, type TypedOrb } from './generate/orbs.ts';
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
  const file = fileOf(orbs, { lang, strict: strict === true, server: call.env['ORB_URL'] ?? 'this server' });
  if (typeof out === 'string') writeFileSync(out, file);
  call.print(
    { file: out, orbs: orbs.map(({ orb_id }) => orb_id) },
    typeof out === 'string' ? `${out}: ${orbs.length} Orbs` : file.trimEnd(),
  );
  return 0;
}

function fileOf(
  orbs: readonly TypedOrb[],
  { lang, server, strict }: { readonly lang: 'py' | 'ts'; readonly server: string; readonly strict: boolean },
): string {
  return lang === 'ts' ? typescriptFile(orbs, server, strict) : pythonFile(orbs, server);
}

async function readOrbs({ client }: CommandCall): Promise<readonly OrbSchemas[]> {
  const server = client();
  const found: OrbSchemas[] = [];
  let from = '';
  for (;;) {
    const page = await server.request<{
      readonly orbs: readonly { readonly orb_id: string }[];
      readonly next_cursor?: string;
    }>('GET', `/orbs${from}`);
    for (const { orb_id } of page.orbs) {
      const { manifest } = await server.request<{ readonly manifest: OrbSchemas }>(
        'GET',
        `/orbs/${encodeURIComponent(orb_id)}`,
      );
      found.push(manifest);
    }
    if (page.next_cursor === undefined) return found;
    from = `?cursor=${encodeURIComponent(page.next_cursor)}`;
  }
}
