import { html } from '../frame/html.ts';
import { useGet } from '../frame/resource.ts';
import { hrefOf } from '../frame/router.ts';
import { sees, useSession } from '../frame/session.ts';

interface ProviderList {
  readonly orbs: readonly { readonly providers: readonly { readonly adapter: string }[] }[];
}

// Adapters from which nothing leaves the machine.
const sandboxes = new Set(['chat/outbox', 'echo/local', 'email/outbox', 'sms/outbox']);

/** One step of a new installation; undefined: it is not known whether it is done, or the key may not see it. */
interface Step {
  readonly name: string;
  readonly about: string;
  readonly path: string;
  readonly done: boolean | undefined;
}

/** Shows the first steps of a new installation until all that the key may see are done. */
export function FirstSteps() {
  const steps = useSteps();
  const shown = steps.filter(({ done }) => done !== undefined);
  if (shown.length === 0 || shown.every(({ done }) => done)) return null;
  const count = shown.filter(({ done }) => done).length;
  return html`<section class="panel first-steps" aria-labelledby="first-steps">
    <h2 id="first-steps">First steps <span class="chip nums">${count} of ${shown.length} done</span></h2>
    <ol>
      ${shown.map(
        ({ name, about, path, done }) =>
          html`<li key=${name}>
            <p>
              <a href=${hrefOf(path)}>${name}</a>
              <span class=${`status status-${done ? 'good' : 'none'}`}>${done ? 'done' : 'to do'}</span>
            </p>
            <p class="muted">${about}</p>
          </li>`,
      )}
    </ol>
  </section>`;
}

function useSteps(): readonly Step[] {
  const session = useSession();
  const may = {
    runs: sees(session, { scope: 'runs:read' }),
    providers: sees(session, { scope: 'providers:read' }),
    keys: sees(session, { scope: 'keys:manage' }),
    policies: sees(session, { scope: 'policies:read' }),
    // Its list is public; only where there is a marketplace, the scope is known.
    market: session.known_scopes.includes('marketplace:publish'),
  };
  const runs = useGet<{ readonly runs: readonly unknown[] }>(may.runs ? '/runs?limit=1' : undefined).value;
  const providers = useGet<ProviderList>(may.providers ? '/providers' : undefined).value;
  const keys = useGet<{ readonly keys: readonly unknown[] }>(may.keys ? '/keys?limit=2' : undefined).value;
  const revisions = useGet<{ readonly revisions: readonly unknown[] }>(
    may.policies ? '/policies/-/revisions' : undefined,
  ).value;
  const listed = useGet<{ readonly total: number }>(may.market ? '/marketplace/orbs?limit=1' : undefined).value;
  return [
    {
      name: 'Run an Orb',
      about: 'demo.echo needs no configuration. Each run returns a receipt, and your browser verifies it.',
      path: '/try',
      done: runs && runs.runs.length > 0,
    },
    {
      name: 'Bind a real provider',
      about: 'Until then, Orbs send no real messages. Add a provider here or in platform.json, and swap an Orb to it.',
      path: '/providers',
      done: providers && providers.orbs.some((orb) => orb.providers.some(({ adapter }) => !sandboxes.has(adapter))),
    },
    {
      name: 'Create a key for your application',
      about: 'Give it only the scopes that it needs. The first key has full access: do not use it in an application.',
      path: '/keys/new',
      done: keys && keys.keys.length > 1,
    },
    {
      name: 'Write a policy',
      about: 'Edit a policy, test it against recent decisions, and activate it.',
      path: '/policies',
      done: revisions && revisions.revisions.length > 1,
    },
    {
      name: 'Publish an Orb',
      about: 'The marketplace shows it with its reputation.',
      path: '/reputation',
      done: listed && listed.total > 0,
    },
  ];
}
