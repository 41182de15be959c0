// node plugins/release/build/image/pin.ts: pins the packages of the image at the versions that Debian offers now.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { controlOf, digestOf, downloadPackages, type Architecture, type PinnedPackage } from './debian.ts';

const names = ['base-files', 'ca-certificates', 'gcc-12-base', 'libc6', 'libgcc-s1', 'libstdc++6', 'tzdata'];

function pin(architecture: Architecture): readonly PinnedPackage[] {
  const folder = mkdtempSync(join(tmpdir(), 'orb-pin-'));
  try {
    return [...downloadPackages(folder, architecture, names)].sort().map((file) => ({
      name: controlOf(file, 'Package').trim(),
      version: controlOf(file, 'Version').trim(),
      sha256: digestOf(file),
    }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const pins = { amd64: pin('amd64'), arm64: pin('arm64') };
writeFileSync(join(import.meta.dirname, 'base.json'), `${JSON.stringify(pins, null, 2)}\n`);
