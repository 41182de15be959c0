import { expect } from 'chai';
import { globSync } from 'node:fs';
import { dirname } from 'node:path';
import { packageDir } from './helpers/folder.ts';
import { importsOf } from './runner/imports.ts';

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

const files = globSync('{kernel,plugins,providers}/**/*.ts', { cwd: packageDir });

/** Answers the part of a file: the kernel, the providers, or a plugin. */
function partOf(file: string): string {
  const [first = '', second = ''] = file.split('/');
  return first === 'plugins' ? `${first}/${second}` : first;
}

/** Answers the room of a file: its folder. A file that lies directly in a part is a room of its own. */
function roomOf(file: string): string {
  return dirname(file) === partOf(file) ? file : dirname(file);
}

/** Answers which rooms import which others of their part, types included. */
function roomGraph(list: readonly string[], imported: (file: string) => readonly string[]): Graph {
  const graph = new Map<string, Set<string>>();
  for (const file of list) {
    const room = roomOf(file);
    const targets = graph.get(room) ?? new Set<string>();
    graph.set(room, targets);
    for (const target of imported(file))
      if (partOf(target) === partOf(file) && roomOf(target) !== room) targets.add(roomOf(target));
  }
  return graph;
}

/** Lists the circles: the rooms that reach each other. */
function circlesOf(graph: Graph): readonly (readonly string[])[] {
  const reached = new Map<string, Set<string>>();
  for (const room of graph.keys()) {
    const found = new Set<string>();
    const waiting = [...(graph.get(room) ?? [])];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
      if (!found.has(next)) {
        found.add(next);
        waiting.push(...(graph.get(next) ?? []));
      }
    reached.set(room, found);
  }
  const inCircle = [...graph.keys()].filter((room) => reached.get(room)?.has(room));
  const circle = (room: string): string[] =>
    inCircle.filter((other) => reached.get(room)?.has(other) && reached.get(other)?.has(room)).sort();
  return [...new Map(inCircle.map((room) => [circle(room).join(' '), circle(room)])).values()];
}

describe('the circles of folders', () => {
  const parts = [...new Set(files.map(partOf))];

  it('are found by imports of any kind, and none where folders import in one direction', () => {
    const imports: Readonly<Record<string, readonly string[]>> = {
      'kernel/a/one.ts': ['kernel/b/two.ts'],
      'kernel/b/two.ts': ['kernel/c/three.ts', 'kernel/b/own.ts'],
      'kernel/c/three.ts': ['kernel/a/one.ts', 'plugins/x/index.ts'],
      'kernel/d/four.ts': ['kernel/a/one.ts'],
      'kernel/index.ts': ['kernel/d/four.ts', 'kernel/a/one.ts'],
    };
    const found = circlesOf(roomGraph(Object.keys(imports), (file) => imports[file] ?? []));
    expect(found).to.deep.equal([['kernel/a', 'kernel/b', 'kernel/c']]);
  });

  for (const part of parts)
    it(`are none in ${part}`, () => {
      const own = files.filter((file) => partOf(file) === part);
      expect(circlesOf(roomGraph(own, importsOf))).to.deep.equal([]);
    });
});
