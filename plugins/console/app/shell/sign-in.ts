import { useEffect, useRef, useState } from 'preact/hooks';
import { brandName } from '../frame/brand.ts';
import { onSubmit, useCall } from '../frame/call.ts';
import { html } from '../frame/html.ts';
import { ProblemNote } from '../parts/notice.ts';
import { KeyInput } from './key-input.ts';
import type { LinkedKey, Session } from '../frame/wire.ts';

/** What the sign-in screen is given. */
export interface SignInProps {
  /** Why the user must sign in again, if there was a session. */
  readonly why?: string | undefined;
  /** Token of the link that `orb console open` printed. */
  readonly link?: string | undefined;
  readonly onSession: (session: Session) => void;
}

/** Asks for the key once and exchanges it for a session; a link from the command line is shown before it is used. */
export function SignIn({ why, link, onSession }: SignInProps) {
  const [given, setGiven] = useState(link);
  useEffect(() => {
    document.title = `Sign in · ${brandName()}`;
  }, []);
  return html`<main id="main" class="sign-in" tabindex="-1">
    <section class="panel stack">
      <p class="brand"><img src="/logo" width="26" height="26" alt="" /> ${brandName()}</p>
      ${
        given === undefined
          ? html`<${KeyForm} why=${why} onSession=${onSession} />`
          : html`<${LinkForm} token=${given} onSession=${onSession} onRefuse=${() => setGiven(undefined)} />`
      }
    </section>
  </main>`;
}

function KeyForm({ why, onSession }: SignInProps) {
  const field = useRef<HTMLInputElement>(null);
  const { busy, problem, send } = useCall();
  useEffect(() => field.current?.focus(), []);
  const submit = (): void => {
    const key = field.current?.value.trim() ?? '';
    const enter = (session: Session): void => {
      if (field.current !== null) field.current.value = '';
      onSession(session);
    };
    const call = { method: 'POST', path: '/console/session', body: { key } } as const;
    if (key !== '') void send(call, enter, () => field.current?.select());
  };
  return html`<h1>Sign in</h1>
    ${why !== undefined && html`<p class="note note-warn">${why}</p>`}
    <form class="stack" onSubmit=${onSubmit(submit)}>
      <${KeyInput}
        id="key"
        hint="It is sent once to start a session in this browser. The console does not store it."
        field=${field}
      />
      <${ProblemNote} problem=${problem} />
      <button class="button" type="submit" disabled=${busy}>${busy ? 'Signing in…' : 'Sign in'}</button>
    </form>
    ${whereIsIt}`;
}

const whereIsIt = html`<details>
  <summary>Where is my key?</summary>
  <div class="stack small">
    <p>On the server, run <code>orb console open</code>. It prints a sign-in link.</p>
    <p>
      The first start wrote an administrator key to <code>data/state/admin.key</code> on the server. Its log shows the
      full path.
    </p>
  </div>
</details>`;

interface LinkFormProps extends Pick<SignInProps, 'onSession'> {
  readonly token: string;
  readonly onRefuse: () => void;
}

function LinkForm({ token, onSession, onRefuse }: LinkFormProps) {
  const [linked, setLinked] = useState<LinkedKey>();
  const { busy, problem, send } = useCall();
  const yes = useRef<HTMLButtonElement>(null);
  const body = { link: token };
  useEffect(() => void send({ method: 'POST', path: '/console/session/link', body }, setLinked), []);
  useEffect(() => yes.current?.focus(), [linked]);
  const accept = (): void => void send({ method: 'POST', path: '/console/session', body }, onSession);
  return html`<h1>Sign in by link</h1>
    ${linked === undefined && problem === undefined && html`<p class="muted">Checking the link…</p>`}
    ${
      linked !== undefined &&
      problem === undefined &&
      html`<p>
          This link signs this browser in with the key <strong>${linked.name}</strong>
          (<code>${linked.key_id}</code>)${linked.scopes?.includes('*') ? ', which has full access' : ''}.
        </p>
        <p class="muted">
          Continue only if you created this link yourself. The person who created it can see what you do with their key.
        </p>
        <div class="row">
          <button ref=${yes} class="button" type="button" disabled=${busy} onClick=${accept}>
            Sign in as ${linked.name}
          </button>
          <button class="button button-quiet" type="button" onClick=${onRefuse}>Cancel</button>
        </div>`
    }
    ${
      problem !== undefined &&
      html`<${ProblemNote} problem=${problem} />
        <p>A link works once, within one minute. Create a new one with <code>orb console open</code>.</p>
        <button class="button button-quiet" type="button" onClick=${onRefuse}>Use a key instead</button>`
    }`;
}
