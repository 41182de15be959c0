import { useEffect, useState } from 'preact/hooks';
import { get } from '../../frame/api.ts';
import { serverNow } from '../../frame/clock.ts';
import { html } from '../../frame/html.ts';
import { asProblem, type ApiProblem } from '../../frame/problem.ts';
import { useGet, useList, type Reading } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import { sees, useSession } from '../../frame/session.ts';
import type { EngineStatus, Key, ListedOrbiset, Schedule } from '../../frame/wire.ts';
import { loaded } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import { Facts, Id } from '../../parts/table.ts';
import { mentions, namesOrb, scopeFor } from './words.ts';

/** Says whether the key of the session sees what a scope guards, and its plugin is loaded. */
export const useSees = (scope: string): boolean => sees(useSession(), { scope });

/** Shows what refers to an Orb, as far as the key can see it. */
export function Uses({ orbId }: { readonly orbId: string }) {
  const list = useList<ListedOrbiset>({ path: '/orbisets?limit=100', member: 'orbisets', idOf, shows: none });
  const orbisets: Found<ListedOrbiset> = {
    value: list.loading ? undefined : list.items.filter(({ orbs }) => orbs.some((one) => namesOrb(one, orbId))),
    problem: list.problem,
    reload: () => void list.refresh(),
  };
  const [schedules, policies, keys] = ['schedules:manage', 'policies:read', 'keys:manage'].map(useSees);
  return html`<${Facts}
    of=${[
      ['Orbisets', html`<${Few} of=${orbisets} show=${(one: ListedOrbiset) => orbisetLink(one, orbId)} />`],
      ['Schedules', schedules && html`<${Schedules} of=${orbisets} orbId=${orbId} />`],
      ['Policies that name it', policies && html`<${Policies} orbId=${orbId} />`],
      ['Keys that can run it', keys && html`<${Keys} orbId=${orbId} />`],
    ]}
  />`;
}

const none = (): boolean => false;
const idOf = ({ id }: ListedOrbiset): string => id;

type Found<T> = Omit<Reading<readonly T[]>, 'loading'>;

interface FewProps<T> {
  readonly of: Found<T>;
  readonly show: (one: T) => unknown;
}

const most = 20;

function Few<T>({ of, show }: FewProps<T>) {
  return loaded(of, (all) =>
    all.length === 0
      ? html`<span class="muted">None</span>`
      : html`<ul class="plain">
          ${all.slice(0, most).map((one) => html`<li>${show(one)}</li>`)}
          ${all.length > most && html`<li class="muted">and ${all.length - most} more</li>`}
        </ul>`,
  );
}

function orbisetLink({ id, orbs }: ListedOrbiset, orbId: string) {
  const by = orbs.find((pattern) => namesOrb(pattern, orbId)) ?? '';
  return html`<a href=${hrefOf(`/orbisets/${encodeURIComponent(id)}`)}>${id}</a>${' '}
    ${by !== orbId && html`<span class="muted">by <code>${by}</code></span>`}`;
}

function Schedules({ of, orbId }: { readonly of: Found<ListedOrbiset>; readonly orbId: string }) {
  const schedules = useSchedules(of.value?.map(({ id }) => id));
  const value = schedules.value?.filter(({ orb_id }) => orb_id === orbId);
  return html`<${Few} of=${{ ...schedules, value }} show=${scheduleLine} />`;
}

/** Shows a schedule in one line. */
export const scheduleLine = ({ schedule_id, orbiset_id, cron, timezone, state }: Schedule) =>
  html`<code>${cron}</code> ${timezone} in ${orbiset_id} <${Status} of=${state} /> <${Id} id=${schedule_id} />`;

// More Orbisets than these would be many calls for one screen.
const mostOrbisets = 50;

/** Reads the newest schedules of each of these Orbisets. */
export function useSchedules(orbisets: readonly string[] | undefined): Found<Schedule> {
  const [found, setFound] = useState<{ value?: readonly Schedule[]; problem?: ApiProblem }>({});
  const [round, setRound] = useState(0);
  const names = orbisets?.slice(0, mostOrbisets).join('\n');
  useEffect(() => {
    if (names === undefined) return undefined;
    const stop = new AbortController();
    const paths = names === '' ? [] : names.split('\n').map((id) => `/orbisets/${id}/schedules?limit=100`);
    Promise.all(paths.map((path) => get<{ readonly schedules: readonly Schedule[] }>(path, stop.signal))).then(
      (pages) => setFound({ value: pages.flatMap(({ schedules }) => schedules) }),
      (thrown: unknown) => stop.signal.aborted || setFound({ problem: asProblem(thrown) }),
    );
    return () => stop.abort();
  }, [names, round]);
  return { value: found.value, problem: found.problem, reload: () => setRound((last) => last + 1) };
}

interface Revision {
  readonly files: readonly { readonly path: string; readonly source: string }[];
}

function Policies({ orbId }: { readonly orbId: string }) {
  const policies = usePolicyFiles((source) => mentions(source, orbId));
  return html`<${Few} of=${policies} show=${policyLink} />`;
}

/** Shows the id of a policy as a link to it. */
export const policyLink = (id: string) => html`<a href=${hrefOf(`/policies/${encodeURIComponent(id)}`)}>${id}</a>`;

/** Finds the active policies with a text that fits, without those that are tests. */
export function usePolicyFiles(fits: (source: string) => boolean): Found<string> {
  const engine = useGet<EngineStatus>('/policies/-/status');
  const active = engine.value?.revision ?? undefined;
  const files = useGet<Revision>(active && `/policies/-/revisions/${active.replace('sha256:', '')}`);
  const known = engine.value !== undefined && active === undefined ? { files: [] } : files.value;
  return {
    value: known?.files
      .filter(({ path, source }) => path.endsWith('.rego') && !path.endsWith('_test.rego') && fits(source))
      .map(({ path }) => path.replace(/\.rego$/, '').replaceAll('/', '.')),
    problem: engine.problem ?? files.problem,
    reload() {
      engine.reload();
      files.reload();
    },
  };
}

interface Runner {
  readonly key: Key;
  readonly scope: string;
}

function Keys({ orbId }: { readonly orbId: string }) {
  const list = useList<Key>({ path: '/keys?limit=50', member: 'keys', idOf: ({ key_id }) => key_id, shows: none });
  const runners = list.items.flatMap((key): readonly Runner[] => {
    const scope = isLive(key) ? scopeFor(key.scopes, orbId) : undefined;
    return scope === undefined ? [] : [{ key, scope }];
  });
  const value = list.loading ? undefined : runners;
  return html`<${Few} of=${{ value, problem: list.problem, reload: () => void list.refresh() }} show=${runnerLine} />`;
}

const isLive = ({ revoked_at, expires_at }: Key): boolean =>
  revoked_at === undefined && (expires_at === undefined || Date.parse(expires_at) > serverNow());

const runnerLine = ({ key: { key_id, name, principal_name, mode }, scope }: Runner) =>
  html`<a href=${hrefOf(`/keys/${key_id}`)}>${name}</a> of ${principal_name}${' '}
    <span class="muted">by <code>${scope}</code></span
    >${' '}${mode === 'test' && html`<span class="chip">test key</span>`}`;
