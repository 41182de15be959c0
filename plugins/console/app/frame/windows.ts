// The windows of one browser share the session, whose cookie none of them can read.
const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('orb-console') : undefined;

/** Notifies the other windows of this browser that the signed-in caller may have changed. */
export function tellWindows(): void {
  channel?.postMessage('session');
}

/** Calls `work` at each such notification. */
export function onOtherWindow(work: () => void): void {
  channel?.addEventListener('message', work);
}
