/** Name of the format of a bundle; others are not read. */
export const bundleFormat = 'agent-orb-evidence/1';
/** The list of the files with their digests, the last file but one. */
export const manifestPath = 'manifest.json';
/** The same, signed: the last file, and so the mark that nothing was cut off. */
export const signedPath = 'manifest.dsse.json';
/** Folder of the receipts: an export as `orb receipts verify` reads it. */
export const receiptsFolder = 'export/';
/** Most files of one list of digests. */
export const filesPerSum = 5000;

/** Names a list of digests, in the form of `sha256sum`. */
export function sumPath(number: number): string {
  return `sums/${String(number).padStart(6, '0')}.sha256`;
}

/** What is not in a bundle, and why. */
export interface LeftOut {
  readonly part: string;
  readonly why: string;
}

/** The manifest of a bundle: by it every byte of the archive is known. */
export interface BundleManifest {
  readonly format: typeof bundleFormat;
  readonly installation: string;
  /** RFC 3339 UTC: from this time on, before the other one. */
  readonly from: string;
  readonly to: string;
  /** Absent: all tenants. */
  readonly tenant?: string;
  /** RFC 3339 UTC. */
  readonly exported_at: string;
  /** Files before this one, without the lists of digests. */
  readonly files: number;
  /** Their bytes. */
  readonly bytes: number;
  /** The lists of digests, each of the files that come before it and after the list before. */
  readonly sums: readonly { readonly path: string; readonly sha256: string; readonly files: number }[];
  readonly left_out: readonly LeftOut[];
}
