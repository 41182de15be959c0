import { createHash } from 'node:crypto';
import { makeBadge } from 'badge-maker';
import type { Badge } from './badge.ts';

/** Looks of a badge. */
export const styles = ['flat', 'flat-square', 'plastic', 'for-the-badge', 'social'] as const;
/** Look of a badge. */
export type Style = (typeof styles)[number];

/** A drawn badge with its validator. */
export interface Drawn {
  readonly svg: string;
  /** Strong, with its quotes. */
  readonly etag: string;
}

/** Draws badges and keeps the last of them in memory, at most `most`. */
export function createDrawing(most = 500): (badge: Badge, style: Style) => Drawn {
  const kept = new Map<string, Drawn>();
  return (badge, style) => {
    const key = JSON.stringify([style, badge.label, badge.message, badge.color]);
    const drawn = kept.get(key) ?? draw(badge, style);
    // Looked at last, dropped last.
    kept.delete(key);
    kept.set(key, drawn);
    const [oldest] = kept.keys();
    if (kept.size > most && oldest !== undefined) kept.delete(oldest);
    return drawn;
  };
}

// Never its links, logo or ids: `links` would take any scheme.
function draw({ label, message, color }: Badge, style: Style): Drawn {
  const svg = makeBadge({ label, message, color, style });
  return { svg, etag: etagOf(svg) };
}

/** Makes the strong validator of a text. */
export function etagOf(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
}
