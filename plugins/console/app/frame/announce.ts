import { useEffect, useState } from 'preact/hooks';
import { html } from './html.ts';

let say: (text: string) => void = () => undefined;

/** Announces a change to screen readers, without moving the focus. */
export function announce(text: string): void {
  say(text);
}

/** The region that announcements are read from; the frame shows it once. */
export function Announcer() {
  const [text, setText] = useState('');
  useEffect(() => {
    say = (given) => setText((last) => (last === given ? `${given}\u00a0` : given));
  }, []);
  return html`<p class="hidden" role="status" aria-live="polite">${text}</p>`;
}
