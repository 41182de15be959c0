import type { PolicyMode } from '../contract.ts';

/**
 * Writes a mode into the METADATA block of a file's package and adds the block when it is missing, so that the folder
 * holds all state.
 */
export function withMode(source: string, mode: PolicyMode): string {
  const lines = source.split('\n');
  const at = lines.findIndex((line) => /^\s*package\s/.test(line));
  if (at < 0) return source;
  const start = metadataStart(lines, at);
  if (start === undefined) return inserted(lines, at, ['# METADATA', '# custom:', `#   mode: ${mode}`]);
  const block = lines.slice(start, at);
  const custom = block.findIndex((line) => /^#\s*custom:\s*$/.test(line));
  if (custom < 0) return inserted(lines, at, ['# custom:', `#   mode: ${mode}`]);
  const first = start + custom + 1;
  const members = membersOf(block, custom);
  const indent = indentOf(members[0] ?? '#   ');
  const existing = members.findIndex((line) => line.startsWith(`${indent}mode:`));
  if (existing >= 0) return replaced(lines, first + existing, `${indent}mode: ${mode}`);
  return inserted(lines, first, [`${indent}mode: ${mode}`]);
}

// Only the lines indented below a heading: a similar line elsewhere may belong to a description.
function membersOf(block: readonly string[], heading: number): readonly string[] {
  const below = block.slice(heading + 1);
  const edge = indentOf(block[heading] ?? '').length;
  const end = below.findIndex((line) => indentOf(line).length <= edge);
  return end < 0 ? below : below.slice(0, end);
}

function indentOf(line: string): string {
  return /^#\s*/.exec(line)?.[0] ?? '';
}

// Searches only the comments directly above the package.
function metadataStart(lines: readonly string[], at: number): number | undefined {
  for (let index = at - 1; index >= 0 && lines[index]?.startsWith('#') === true; index -= 1)
    if (/^#\s*METADATA\s*$/.test(lines[index] ?? '')) return index;
  return undefined;
}

function inserted(lines: readonly string[], at: number, more: readonly string[]): string {
  return [...lines.slice(0, at), ...more, ...lines.slice(at)].join('\n');
}

function replaced(lines: readonly string[], at: number, line: string): string {
  return [...lines.slice(0, at), line, ...lines.slice(at + 1)].join('\n');
}
