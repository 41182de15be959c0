import { announce } from '../../frame/announce.ts';
import { useEffect, useRef } from 'preact/hooks';
import { html } from '../../frame/html.ts';
import { Dialog } from '../../parts/dialog.ts';
import { Secrets } from '../../parts/secrets.ts';
import type { CreatedKey } from '../../frame/wire.ts';

/** The new key, and the function to call when the user has copied it. */
export interface ShownOnceProps {
  readonly made: CreatedKey;
  readonly onClose: () => void;
}

/** Shows a new key once: after it is closed, the console no longer has it. */
export function ShownOnce({ made: { key, name, mode }, onClose }: ShownOnceProps) {
  const text = useRef(key);
  useEffect(() => announce('The key was created. It is shown only once.'), []);
  const close = (): void => {
    text.current = '';
    onClose();
  };
  return html`<${Dialog} title="Copy the key now" onClose=${close}>
    <${Secrets} of=${[[`Key of ${name}`, text.current]]}>
      <p class="small muted">
        Store it only where your program reads its secrets, for example in the variable <code>ORB_KEY</code>.
        ${mode === 'test' && ' It is a test key: it uses sandbox providers only, and no data leaves the server.'}
      </p>
    <//>
    <div class="row end">
      <button class="button" type="button" onClick=${close}>I have saved it</button>
    </div>
  <//>`;
}
