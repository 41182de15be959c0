import { useEffect } from 'preact/hooks';

/** What the keys of the keyboard do. */
export interface Shortcuts {
  /** Addresses by the letter that follows `g`. */
  readonly jumps: Readonly<Record<string, string>>;
  readonly go: (href: string) => void;
  /** Acts by a single key, such as `?`. */
  readonly keys: Readonly<Record<string, () => void>>;
  /** Users of speech input can turn single keys off. */
  readonly on: boolean;
}

const waitMs = 1500;

/** Listens to single keys, and to `g` with a letter; not while the user types or a dialog is open. */
export function useShortcuts({ jumps, go, keys, on }: Shortcuts): void {
  useEffect(() => {
    if (!on) return undefined;
    let jumping = 0;
    const pressed = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const jump = performance.now() - jumping < waitMs ? jumps[event.key] : undefined;
      jumping = event.key === 'g' && jump === undefined ? performance.now() : 0;
      const act = jump === undefined ? keys[event.key] : () => go(jump);
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  });
}

function isTyping(target: EventTarget | null): boolean {
  if (document.querySelector('dialog[open]') !== null) return true;
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null;
}
