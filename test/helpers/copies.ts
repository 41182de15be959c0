import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDir } from './folder.ts';
import { shippedSettings } from './shipped-settings.ts';

/** Folder of plugins that were copied out of the tree; undefined: the shipped ones are tested. */
export const copies: string | undefined = process.env['ORB_COPIES'];

/** Names the plugins that were copied. */
export const copied: readonly string[] = copies === undefined ? [] : readdirSync(copies);

/** Copies a shipped plugin into a folder; nothing changes but what its imports of the kernel and of contracts name. */
export function copyOut(name: string, to: string): void {
  const folder = join(to, name);
  cpSync(join(packageDir, 'plugins', name), folder, { recursive: true });
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
    const file = join(entry.parentPath, entry.name);
    const text = readFileSync(file, 'utf8')
      .replace(/(['"])(?:\.\.\/)+kernel\/(?:adapter|index|maintenance|outbound|runner)\.ts\1/g, "'agent-orb-kit'")
      .replace(/(['"])(?:\.\.\/)+([a-z-]+)\/contract\.ts\1/g, (whole, _quote, other) =>
        other === name ? whole : `'agent-orb-kit/plugins/${other}'`,
      );
    writeFileSync(file, text);
  }
}

/** Adds to a platform.json that copied plugins replace the shipped ones; none: the shipped platform.json is meant. */
export function withCopies(platform: object | undefined): object | undefined {
  if (copies === undefined) return platform;
  const { plugins = {}, ...rest } = (platform ?? shippedSettings()) as {
    readonly plugins?: Readonly<Record<string, object | false>>;
  };
  const replaced = copied
    .filter((name) => plugins[name] !== false)
    .map((name) => [name, { ...plugins[name], from: join(copies, name, 'index.ts') }]);
  return { ...rest, plugins: { ...plugins, ...Object.fromEntries(replaced) } };
}
