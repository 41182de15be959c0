import { useEffect, useState } from 'preact/hooks';
import { Empty, Loading, ProblemNote } from '../parts/notice.ts';
import { api, get, onSessionNeeds } from '../frame/api.ts';
import { AskKey, type KeyQuestion } from './ask-key.ts';
import { Brand } from '../frame/brand.ts';
import { Failing } from './error-boundary.ts';
import { html } from '../frame/html.ts';
import { Layout } from './layout.ts';
import { Opened } from './opened.ts';
import { Page } from '../frame/page.ts';
import { asProblem, type ApiProblem } from '../frame/problem.ts';
import { matchPath, usePlace } from '../frame/router.ts';
import type { Screen } from '../frame/screen.ts';
import { holds, isNobody, sees, SessionContext } from '../frame/session.ts';
import { SignIn } from './sign-in.ts';
import { onOtherWindow, tellWindows } from '../frame/windows.ts';
import type { Session } from '../frame/wire.ts';

/** The user of the page, as far as known. */
interface State {
  readonly session?: Session | undefined;
  /** The server has answered whether a user is signed in. */
  readonly known: boolean;
  readonly why?: string;
  readonly problem?: ApiProblem;
}

// The server says it in a sentence without a capital letter.
const overOf = (why: string): string =>
  why === ''
    ? 'Your session has ended or its key was revoked. Sign in again to continue.'
    : `${why.slice(0, 1).toUpperCase()}${why.slice(1)}.`;

/** The console: reads the session, and shows the screen of the address. */
export function App({ screens }: { readonly screens: readonly Screen[] }) {
  const [link] = useState(takeLink);
  const { state, ask, signedIn, signOut, question } = useCaller(link);
  if (state.problem !== undefined)
    return html`<main id="main" class="sign-in"><${ProblemNote} problem=${state.problem} retry=${ask} /></main>`;
  // Show the frame first, so that the layout does not move when the data arrives.
  if (!state.known)
    return html`<div class="shell">
      <header class="head"><${Brand} /></header>
      <main id="main"><${Loading} what="Opening the console" /></main>
    </div>`;
  if (state.session === undefined) return html`<${SignIn} why=${state.why} link=${link} onSession=${signedIn} />`;
  return html`<${SessionContext.Provider} value=${state.session}>
    <${Layout} key=${state.session.key_id} screens=${screens} onSignOut=${signOut}
      ><${Shown} screens=${screens} session=${state.session}
    /><//>
    ${question && html`<${AskKey} question=${question} />`}
  <//>`;
}

// The signed-in user is the same in all windows, because they share the cookie.
function useCaller(link: string | undefined) {
  const [state, setState] = useState<State>({ known: link !== undefined || isNobody() });
  const [question, setQuestion] = useState<KeyQuestion>();
  const ask = (): void => {
    setState({ known: false });
    get<Session>('/console/session').then(
      (session) => setState({ known: true, session }),
      (thrown: unknown) => {
        const problem = asProblem(thrown);
        setState(problem.status === 401 ? { known: true } : { known: false, problem });
      },
    );
  };
  // Keep showing the screen while the session is read, because the caller is usually the same.
  const look = (): void => {
    const unread = (last: State): boolean => last.session === undefined && link !== undefined;
    get<Session>('/console/session').then(
      (session) => setState((last) => (unread(last) ? last : { known: true, session })),
      () => undefined,
    );
  };
  const changed = (next: State): void => {
    setState(next);
    tellWindows();
  };
  useEffect(() => {
    onOtherWindow(look);
    onSessionNeeds({
      differs: () => {
        look();
        tellWindows();
      },
      // Several calls may find it at the same time.
      ended: (why) =>
        setState((last) => (last.session === undefined ? { ...last, known: true } : { known: true, why: overOf(why) })),
      askKey: () =>
        new Promise((resolve) => {
          const answer = (key: string | undefined): void => {
            setQuestion(undefined);
            resolve(key);
          };
          setQuestion({ answer });
        }),
    });
    if (!state.known) ask();
  }, []);
  const signOut = (): void => {
    const out = (): void => changed({ known: true });
    api({ method: 'DELETE', path: '/console/session' }).then(out, out);
  };
  return { state, question, ask, signOut, signedIn: (session: Session) => changed({ known: true, session }) };
}

// The token leaves the address at once: it must not stay in the history.
function takeLink(): string | undefined {
  const token = /^#link=(.+)$/.exec(location.hash)?.[1];
  if (token !== undefined) history.replaceState(null, '', location.pathname + location.search);
  return token;
}

function Shown({ screens, session }: { readonly screens: readonly Screen[]; readonly session: Session }) {
  const { path, query } = usePlace();
  for (const screen of screens) {
    const { path: pattern, title, scope } = screen;
    const params = matchPath(pattern, path);
    if (params === undefined) continue;
    if (holds(session.scopes, scope) && !sees(session, screen))
      return html`<${Page} title=${title}>
        <${Empty} title="This screen is not available"><p>The plugin for this screen is not loaded.</p><//>
      <//>`;
    if (!sees(session, screen))
      return html`<${Page} title=${title}>
        <${Empty} title="Your key cannot open this screen">
          <p>
            It needs the scope ${[scope].flat().map((one) => html`<code>${one}</code> `)}. Ask the person who manages
            the keys.
          </p>
        <//>
      <//>`;
    return html`<${Failing} key=${path}><${Opened} screen=${screen} params=${params} query=${query} /><//>`;
  }
  return html`<${Page} title="Page not found">
    <${Empty} title="This page does not exist"
      ><p><a href="/console">Go to the home page of the console</a></p><//
    >
  <//>`;
}
