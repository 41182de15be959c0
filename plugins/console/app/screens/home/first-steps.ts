import { html } from '../../frame/html.ts';
import { useGet, type Reading } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import { sees, useSession } from '../../frame/session.ts';
import { ProblemNote } from '../../parts/notice.ts';

interface ProviderList {
  readonly orbs: readonly { readonly providers: readonly { readonly adapter: string }[] }[];
}

// Adapters from which nothing leaves the machine.
const sandboxes = new Set(['chat/outbox', 'echo/local', 'email/outbox', 'push/outbox', 'sms/outbox']);

/** One step of a new installation; without a reading, the key may not see whether it is done. */
interface Step {
  readonly name: string;
  readonly about: string;
  readonly path: string;
  /** Many installations leave it out. */
  readonly optional?: boolean;
  readonly reading: Pick<Reading<unknown>, 'problem' | 'reload'>;
  /** Undefined: it is not known. */
  readonly done: boolean | undefined;
}

/** Shows the first steps of a new installation until all that the key may see are done. */
export function FirstSteps() {
  const { steps, pending } = useSteps();
  const shown = steps.filter(({ done }) => done !== undefined);
  const needed = shown.filter(({ optional = false }) => !optional);
  // At once and not one after the other: what stands below would move.
  if (pending || needed.length === 0 || needed.every(({ done }) => done)) return null;
  const count = shown.filter(({ done }) => done).length;
  const failed = steps.find(({ reading: { problem } }) => problem !== undefined)?.reading;
  return html`<section class="panel first-steps" aria-labelledby="first-steps">
    <h2 id="first-steps">First steps <span class="chip nums">${count} of ${shown.length} done</span></h2>
    <ol>
      ${shown.map(
        ({ name, about, path, done, optional = false }) =>
          html`<li key=${name}>
            <p>
              <a href=${hrefOf(path)}>${name}</a>
              <span class=${`status status-${done ? 'good' : 'none'}`}
                >${done ? 'done' : optional ? 'optional' : 'to do'}</span
              >
            </p>
            <p class="muted">${about}</p>
          </li>`,
      )}
    </ol>
    ${failed && html`<${ProblemNote} problem=${failed.problem} retry=${failed.reload} />`}
  </section>`;
}

function useSteps(): { readonly steps: readonly Step[]; readonly pending: boolean } {
  const session = useSession();
  // Its list is public; only where there is a marketplace, the scope is known.
  const hasMarket = session.known_scopes.includes('marketplace:publish');
  const readable = (scope: string, path: string) => (sees(session, { scope }) ? path : undefined);
  const runs = useGet<{ readonly runs: readonly unknown[] }>(readable('runs:read', '/runs?limit=1'));
  const providers = useGet<ProviderList>(readable('providers:read', '/providers'));
  const keys = useGet<{ readonly keys: readonly unknown[] }>(readable('keys:manage', '/keys?limit=2'));
  const revisions = useGet<{ readonly revisions: readonly unknown[] }>(
    readable('policies:read', '/policies/-/revisions'),
  );
  const listed = useGet<{ readonly total: number }>(hasMarket ? '/marketplace/orbs?limit=1' : undefined);
  const readings = { runs, providers, keys, revisions, listed };
  const pending = Object.values(readings).some(({ loading, value }) => loading && value === undefined);
  return { steps: stepsOf(readings), pending };
}

interface Readings {
  readonly runs: Reading<{ readonly runs: readonly unknown[] }>;
  readonly providers: Reading<ProviderList>;
  readonly keys: Reading<{ readonly keys: readonly unknown[] }>;
  readonly revisions: Reading<{ readonly revisions: readonly unknown[] }>;
  readonly listed: Reading<{ readonly total: number }>;
}

function stepsOf({ runs, providers, keys, revisions, listed }: Readings): readonly Step[] {
  return [
    {
      name: 'Run an Orb',
      about: 'demo.echo needs no configuration. Each run returns a receipt, and your browser verifies it.',
      path: '/try',
      reading: runs,
      done: runs.value && runs.value.runs.length > 0,
    },
    {
      name: 'Bind a real provider',
      about: 'Until then, Orbs send no real messages. Add a provider here or in platform.json, and swap an Orb to it.',
      path: '/providers',
      reading: providers,
      done: providers.value?.orbs.some((orb) => orb.providers.some(({ adapter }) => !sandboxes.has(adapter))),
    },
    {
      name: 'Create a key for your application',
      about: 'Give it only the scopes that it needs. The first key has full access: do not use it in an application.',
      path: '/keys/new',
      reading: keys,
      done: keys.value && keys.value.keys.length > 1,
    },
    {
      name: 'Write a policy',
      about: 'Edit a policy, test it against recent decisions, and activate it.',
      path: '/policies',
      reading: revisions,
      done: revisions.value && revisions.value.revisions.length > 1,
    },
    {
      name: 'Publish an Orb',
      about: 'The marketplace shows it with its reputation.',
      path: '/reputation',
      optional: true,
      reading: listed,
      done: listed.value && listed.value.total > 0,
    },
  ];
}
