import { createHash } from 'node:crypto';
import type { Badge } from './badge.ts';

/** Looks of a badge. */
export const styles = ['flat', 'flat-square', 'plastic', 'for-the-badge', 'social'] as const;
/** Look of a badge. */
export type Style = (typeof styles)[number];

/** A drawn badge with its validator. */
interface Drawn {
  readonly svg: string;
  /** Strong, with its quotes. */
  readonly etag: string;
}

/** Draws a badge. */
export type Draw = (badge: Badge, style: Style) => Drawn;

/**
 * Makes what draws badges and keeps the last of them in memory, at most `most`. The widths of the letters of four fonts
 * are loaded here: a start that waits for them takes a tenth longer.
 */
export async function createDrawing(most = 500): Promise<Draw> {
  const { makeBadge } = await import('badge-maker');
  // Never its links, logo or ids: `links` would take any scheme.
  const draw: Draw = ({ label, message, color }, style) => {
    const svg = makeBadge({ label, message, color, style });
    return { svg, etag: etagOf(svg) };
  };
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

/** Makes the strong validator of a text. */
export function etagOf(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
}
