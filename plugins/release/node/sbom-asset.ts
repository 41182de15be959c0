import { getRawAsset, isSea } from 'node:sea';
import { brotliDecompressSync } from 'node:zlib';

/** Name of the asset of an executable that lists what it holds: CycloneDX in Brotli's format. */
export const sbomAsset = 'sbom.cdx.json.br';

/** Reads the list of what this program holds; undefined: it is no executable of a release. */
export function ownSbom(): string | undefined {
  if (!isSea()) return undefined;
  try {
    return brotliDecompressSync(Buffer.from(getRawAsset(sbomAsset))).toString('utf8');
  } catch (error) {
    // An executable that was built alone has no list.
    if ((error as NodeJS.ErrnoException).code === 'ERR_SINGLE_EXECUTABLE_APPLICATION_ASSET_NOT_FOUND') return undefined;
    throw error;
  }
}
