import { PlatformError } from '../../../kernel/index.ts';
import type { MaintenanceView, Subject } from '../contract.ts';
import type { Window } from './cluster/window.ts';

/** A maintenance window as it is stored. Times RFC 3339 UTC. */
export interface Maintenance extends MaintenanceView {
  /** Who planned it. */
  readonly principal: string;
  readonly created_at: string;
}

/** What a window is made from or changed to. */
export interface WindowWish {
  readonly title?: string;
  readonly scope?: readonly Subject[];
  readonly starts_at?: string;
  readonly ends_at?: string;
}

/** The window as the fold reads it. */
export function windowOf({ maintenance_id, scope, starts_at, ends_at }: MaintenanceView): Window {
  return { maintenance_id, scope, starts_ms: Date.parse(starts_at), ends_ms: Date.parse(ends_at) };
}

/**
 * Says when a window may stand: nothing that was becomes maintenance afterwards, so that nobody plans an outage away.
 * Throws 422 `invalid_body`.
 */
export function checkWindow(
  wish: { readonly starts_ms: number; readonly ends_ms: number },
  nowMs: number,
  before?: Window,
): void {
  const refuse = (pointer: string, detail: string): never => {
    throw new PlatformError('invalid_body', detail, { errors: [{ pointer, detail }] });
  };
  const { starts_ms: starts, ends_ms: ends } = wish;
  if (ends <= starts) refuse('#/ends_at', 'must be after starts_at');
  if (before !== undefined && before.ends_ms <= nowMs) refuse('#', 'the window is over and stands as it was');
  const begun = before !== undefined && before.starts_ms <= nowMs;
  if (begun && starts !== before.starts_ms) refuse('#/starts_at', 'the window has begun');
  if (!begun && starts < nowMs - slackMs) refuse('#/starts_at', 'must not be in the past');
  // One that has not begun begins now at the earliest; one that has may be ended a little late.
  if (ends < nowMs - slackMs || (!begun && ends <= nowMs)) refuse('#/ends_at', 'must not be in the past');
  if (ends - starts > longestMs) refuse('#/ends_at', 'a window lasts at most 30 days');
}

// A caller's `now` arrives a little later.
const slackMs = 60_000;
const longestMs = 30 * 86_400_000;
