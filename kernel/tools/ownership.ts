/** Lists every name of a kind that two plugins, or a plugin and the kernel, declare, and every one with a fault. */
export function ownerFaults<Owner extends { readonly name: string }>(
  kind: string,
  { ofKernel, plugins }: { readonly ofKernel: readonly string[]; readonly plugins: readonly Owner[] },
  namesOf: (plugin: Owner) => readonly string[],
  faultOf: (name: string, plugin: Owner) => string | undefined = () => undefined,
): string[] {
  const owners = new Map(ofKernel.map((name) => [name, 'the kernel']));
  return plugins.flatMap((plugin) =>
    namesOf(plugin).flatMap((name) => {
      const owner = owners.get(name);
      owners.set(name, `plugins.${plugin.name}`);
      const fault = faultOf(name, plugin) ?? (owner === undefined ? undefined : `belongs to ${owner}`);
      return fault === undefined ? [] : [`plugins.${plugin.name}: the ${kind} ${name} ${fault}`];
    }),
  );
}
