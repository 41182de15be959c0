// The windows of one browser share the session, whose cookie none of them can read.
const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('orb-console') : undefined;

/** Tells the other windows of this browser that another caller may be signed in now, or none. */
export function tellWindows(): void {
  channel?.postMessage('session');
}

/** Calls `work` whenever another window told so. */
export function onOtherWindow(work: () => void): void {
  channel?.addEventListener('message', work);
}
