import { useEffect, useState } from 'preact/hooks';
import { serverNow } from '../frame/clock.ts';
import { html } from '../frame/html.ts';

const zones = new Set<() => void>();
let utc = false;

/** Switches all times between the zone of the reader and UTC. */
export function switchZone(): void {
  utc = !utc;
  for (const listener of zones) listener();
}

/** Says whether times are shown in UTC, and follows the switch. */
export function useUtc(): boolean {
  const [shown, setShown] = useState(utc);
  useEffect(() => {
    const listener = (): void => setShown(utc);
    zones.add(listener);
    return () => void zones.delete(listener);
  }, []);
  return shown;
}

/** Names the zone that times are shown in. */
export function zoneName(inUtc: boolean): string {
  return inUtc ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone;
}

const two = (value: number): string => String(value).padStart(2, '0');

// The same form in both zones, which sorts and can be compared at a glance.
function written(date: Date, inUtc: boolean): { readonly day: string; readonly clock: string } {
  if (inUtc) {
    const text = date.toISOString();
    return { day: text.slice(0, 10), clock: text.slice(11, 19) };
  }
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return { day, clock: [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':') };
}

/** Writes the day of a time, in milliseconds since 1970. */
export const dayOf = (at: number, inUtc: boolean): string => written(new Date(at), inUtc).day;

/** Writes the hours and minutes of a time, in milliseconds since 1970. */
export const clockOf = (at: number, inUtc: boolean): string => written(new Date(at), inUtc).clock.slice(0, 5);

/** Says how far UTC is ahead of the shown zone, in milliseconds. */
export const offsetOf = (at: number, inUtc: boolean): number => (inUtc ? 0 : new Date(at).getTimezoneOffset() * 60_000);

/** Writes a time as a field of local time has it; empty without a valid time. */
export function localOf(at: string | number | undefined): string {
  const date = new Date(at ?? '');
  if (Number.isNaN(date.getTime())) return '';
  const { day, clock } = written(date, false);
  return `${day}T${clock.slice(0, 5)}`;
}

/** Reads what a field of local time has, as RFC 3339. */
export const isoOf = (local: string): string => (local === '' ? '' : new Date(local).toISOString());

/** How a time is shown. */
export interface TimeProps {
  /** RFC 3339. */
  readonly at: string | undefined;
  /** Both zones, for pages of one thing. */
  readonly both?: boolean;
}

/** Shows a time in the zone of the reader or in UTC; its title shows both. */
export function Time({ at, both = false }: TimeProps) {
  const inUtc = useUtc();
  if (at === undefined) return html`<span class="muted">–</span>`;
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return html`<span>${at}</span>`;
  const local = written(date, false);
  const world = written(date, true);
  const name = `${world.day} ${world.clock} UTC · ${local.day} ${local.clock} ${zoneName(false)}`;
  if (both) {
    const same = world.day === local.day && world.clock === local.clock;
    const other = same ? ' UTC' : ` · ${world.day === local.day ? '' : `${world.day} `}${world.clock} UTC`;
    return html`<time class="time" datetime=${at}
      >${local.day} ${local.clock}<span class="muted">${other}</span></time
    >`;
  }
  const { day, clock } = inUtc ? world : local;
  // For another day, leave out the seconds: the title shows them.
  const text = written(new Date(serverNow()), inUtc).day === day ? clock : `${day} ${clock.slice(0, 5)}`;
  return html`<time class="time" datetime=${at} title=${name}>${text}</time>`;
}

/** Writes a duration for people. */
export function durationOf(ms: number | undefined): string {
  if (ms === undefined) return '–';
  if (ms < 1000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}
