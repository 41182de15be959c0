import { readFileSync } from 'node:fs';
import type { orbDetail, orbPage } from './orb-routes.ts';
import type { orbisetPage } from './orbiset-routes.ts';
import { ClientError, defineCommand, type Command, type CommandCall, type Infer } from '../../../kernel/index.ts';
import type { CommandArgument } from '../../../kernel/runner.ts';
import { apiCommand, condition, pageOptions, listing } from '../../terminal/contract.ts';

type Orbs = Infer<typeof orbPage>;
type Orbisets = Infer<typeof orbisetPage>;
type Shown = Pick<Infer<typeof orbDetail>, 'manifest_digest'>;

const orbArgument = { name: 'orb_id', description: 'for example notify.email@1.0.0' };
const orbisetArgument = { name: 'id', description: 'for example default' };
const fileArgument = { name: 'file', description: 'the manifest as JSON; - reads standard input' };
const match = { flag: '--if-match <digest>', description: 'only if the current manifest has this digest' };
const page = pageOptions.map((option) => (option.flag.startsWith('--limit') ? { ...option, default: '100' } : option));
const show = (answer: object): string => JSON.stringify(answer, null, 2);

/** Commands `orb orbs …` and `orb orbisets …`. */
export const manifestCommands: readonly Command[] = [
  apiCommand<Orbs>({
    path: 'orbs list',
    summary: 'list the Orbs of the installation',
    options: page,
    route: 'GET /orbs',
    show: ({ orbs }) =>
      listing(
        ['ORB', 'EFFECT', 'SOURCE', 'TITLE'],
        orbs.map(({ orb_id, effect, source, title }) => [orb_id, effect, source, title]),
      ),
  }),
  apiCommand({
    path: 'orbs show',
    summary: 'show an Orb with its schemas',
    args: [orbArgument],
    route: 'GET /orbs/{orb_id}',
    show,
  }),
  defineCommand({
    path: 'orbs put',
    summary: 'add or replace an Orb, without a restart',
    args: [fileArgument],
    options: [match],
    async run(call) {
      const { manifest, id } = readManifest(call, 'orb_id');
      const path = `/orbs/${encodeURIComponent(id)}`;
      const answer = await call.client().request<Shown>('PUT', path, manifest, condition(call));
      call.print(answer, `${id} is available, ${answer.manifest_digest}`);
    },
  }),
  remove('orbs delete', 'remove an Orb; an Orb with open runs cannot be removed', orbArgument, '/orbs/{orb_id}'),
  apiCommand<Orbisets>({
    path: 'orbisets list',
    summary: "list the tenant's Orbisets",
    options: page,
    route: 'GET /orbisets',
    show: ({ orbisets }) =>
      listing(
        ['ORBISET', 'TENANT', 'SOURCE', 'ORBS'],
        orbisets.map(({ id, tenant, source, orbs }) => [id, tenant, source, orbs.join(' ')]),
      ),
  }),
  apiCommand({
    path: 'orbisets show',
    summary: 'show an Orbiset',
    args: [orbisetArgument],
    route: 'GET /orbisets/{id}',
    show,
  }),
  defineCommand({
    path: 'orbisets put',
    summary: 'create an Orbiset, or replace the one with the same id',
    args: [fileArgument],
    options: [match],
    async run(call) {
      const { manifest, id } = readManifest(call, 'id');
      const client = call.client();
      const answer = await client
        .request<Shown>('PUT', `/orbisets/${encodeURIComponent(id)}`, manifest, condition(call))
        .catch((error: unknown) => {
          if (!(error instanceof ClientError) || error.status !== 404 || call.options['ifMatch'] !== undefined)
            throw error;
          return client.request<Shown>('POST', '/orbisets', manifest);
        });
      call.print(answer, `${id} is available, ${answer.manifest_digest}`);
    },
  }),
  remove(
    'orbisets delete',
    'remove an Orbiset; an Orbiset with open runs cannot be removed',
    orbisetArgument,
    '/orbisets/{id}',
  ),
];

function remove(path: string, summary: string, argument: CommandArgument, route: string): Command {
  return apiCommand({
    path,
    summary,
    args: [argument],
    options: [match],
    route: `DELETE ${route}`,
    value: ({ args: [deleted] }) => ({ deleted }),
    show: (_, { args: [id = ''] }) => `${id} was deleted`,
  });
}

function readManifest({ args: [file = '-'] }: CommandCall, member: 'id' | 'orb_id'): { manifest: object; id: string } {
  const manifest = JSON.parse(readFileSync(file === '-' ? 0 : file, 'utf8')) as Readonly<
    Record<string, unknown>
  > | null;
  const id = manifest?.[member];
  if (manifest === null || typeof id !== 'string') throw new Error(`the manifest has no string \`${member}\``);
  return { manifest, id };
}
