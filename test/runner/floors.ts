/** The folders of the kernel, the lowest first: a folder imports only folders of lower floors. */
export const floors: readonly (readonly string[])[] = [
  ['tools'],
  ['net', 'store'],
  ['http'],
  ['config'],
  ['provider'],
  ['cli/command'],
  ['boot'],
  ['cli'],
  ['binary'],
];

/** Answers the folder of the rule in which a file of the kernel lies; undefined: it lies directly in the kernel. */
export function floorOf(file: string): { readonly folder: string; readonly height: number } | undefined {
  const all = floors.flatMap((folders, height) => folders.map((folder) => ({ folder, height })));
  return all
    .filter(({ folder }) => file.startsWith(`kernel/${folder}/`))
    .sort((a, b) => b.folder.length - a.folder.length)[0];
}

/** Draws the floors as text, the highest first. */
export function drawFloors(): string {
  return floors
    .map((folders) => folders.map((folder) => `kernel/${folder}`).join('   '))
    .toReversed()
    .join('\n  ▼\n');
}
