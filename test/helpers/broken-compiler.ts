/** Makes a Wasm file that a server takes for a policy compiler; all its functions fail. */
export function brokenCompiler(): Uint8Array {
  const functions = ['_initialize', 'alloc', 'release', 'call'];
  const counted = (parts: readonly (readonly number[])[]): readonly number[] => [parts.length, ...parts.flat()];
  const section = (id: number, content: readonly number[]): readonly number[] => [id, content.length, ...content];
  const named = (name: string, what: readonly number[]): readonly number[] => [
    ...[name.length, ...Buffer.from(name)],
    ...what,
  ];
  const unreachable = [3, 0, 0x00, 0x0b];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, counted([[0x60, 0, 0]])),
    ...section(3, counted(functions.map(() => [0]))),
    ...section(5, counted([[0, 1]])),
    ...section(7, counted([named('memory', [2, 0]), ...functions.map((name, at) => named(name, [0, at]))])),
    ...section(10, counted(functions.map(() => unreachable))),
  ]);
}
