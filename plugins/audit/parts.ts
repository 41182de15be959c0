import { canonical, given, holds, type Principal } from '../../kernel/index.ts';
import type { Approvals } from '../approvals/contract.ts';
import type { Incidents } from '../ingestion/contract.ts';
import type { PolicyHistory } from '../policy/contract.ts';
import type { ArchivedFile, ReceiptArchive } from '../receipts/contract.ts';
import { admitsOrb, type Orb, type Runtime } from '../runtime/contract.ts';
import { receiptsFolder, type LeftOut } from './format.ts';

/** The services that the parts come from; a part whose plugin is off is left out. */
export interface Sources {
  readonly receipts: ReceiptArchive;
  readonly runtime: Pick<Runtime, 'catalog'>;
  readonly policy?: PolicyHistory | undefined;
  readonly approvals?: Pick<Approvals, 'between'> | undefined;
  readonly incidents?: Pick<Incidents, 'between'> | undefined;
  /** Most receipts of a bundle. */
  readonly most: number;
}

/** What is asked for, and by whom. */
export interface Asked {
  readonly from: string;
  readonly to: string;
  /** Absent: all tenants. */
  readonly tenant?: string | undefined;
  readonly scopes: Principal['scopes'];
}

/** The parts of a bundle. */
export interface Parts {
  readonly names: readonly string[];
  /** Grows until the last file was read. */
  readonly leftOut: readonly LeftOut[];
  files(): AsyncGenerator<ArchivedFile>;
}

type Part = readonly [name: string, files: () => AsyncIterable<ArchivedFile>];

/** Makes the parts that a caller may have: each needs the scope with which the API gives it. */
export function partsOf({ asked, at, ...sources }: Sources & { readonly asked: Asked; readonly at: string }): Parts {
  const { approvals, incidents, policy } = sources;
  const { from, scopes, tenant, to } = asked;
  const leftOut: LeftOut[] = [];
  const optional = <S>(part: string, source: S | undefined, scope: string, make: (source: S) => Part[1]): Part[] => {
    if (source !== undefined && holds(scopes, scope)) return [[part, make(source)]];
    const why = source === undefined ? 'the plugin is off' : `the key does not have the scope ${scope}`;
    leftOut.push({ part, why });
    return [];
  };
  const parts: readonly Part[] = [
    ['verify.html', () => pageFile(sources.receipts, leftOut)],
    [receiptsFolder, () => receiptFiles(sources, asked, at, leftOut)],
    ...optional(
      'approvals/',
      approvals,
      'audit:export',
      (source) => () => listFiles('approvals', source.between(from, to, tenant)),
    ),
    ...optional(
      'incidents/',
      incidents,
      'incidents:read',
      (source) => () =>
        listFiles(
          'incidents',
          later(() => source.between(from, to)),
        ),
    ),
    ['manifests/', () => manifestFiles(sources.runtime.catalog, tenant)],
    ...optional('policies/', policy, 'policies:read', (source) => () => policyFiles(source.between(from, to))),
  ];
  return {
    names: parts.map(([name]) => name),
    leftOut,
    async *files() {
      for (const [, make] of parts) yield* make();
    },
  };
}

async function* pageFile(receipts: ReceiptArchive, leftOut: LeftOut[]): AsyncGenerator<ArchivedFile> {
  const content = await receipts.page();
  if (content === undefined) leftOut.push({ part: 'verify.html', why: 'the plugin pages is off' });
  else yield { path: 'verify.html', content };
}

async function* receiptFiles(
  { most, receipts }: Sources,
  { from, tenant, to }: Asked,
  at: string,
  leftOut: LeftOut[],
): AsyncGenerator<ArchivedFile> {
  let count = 0;
  for await (const { content, path } of receipts.files({ from, to, ...given({ tenant }) }, at)) {
    if (path.startsWith('receipts/') && ++count > most) {
      leftOut.push({ part: receiptsFolder, why: `there are more than ${most} receipts; export a shorter time` });
      return;
    }
    yield { path: receiptsFolder + path, content };
  }
}

const mostBytes = 1024 * 1024;

// One record a line, in files of about a mebibyte.
async function* listFiles(folder: string, records: AsyncIterable<object>): AsyncGenerator<ArchivedFile> {
  let [content, number] = ['', 0];
  const file = (): ArchivedFile => ({ path: `${folder}/${String(number++).padStart(6, '0')}.jsonl`, content });
  for await (const record of records) {
    content += `${JSON.stringify(record)}\n`;
    if (content.length < mostBytes) continue;
    yield file();
    content = '';
  }
  if (content !== '' || number === 0) yield file();
}

async function* later<T>(list: () => T[] | readonly T[] | Promise<readonly T[]>): AsyncGenerator<T> {
  yield* await list();
}

// A file in canonical form: its SHA-256 is the digest that receipts name.
async function* manifestFiles({ orbisets, orbs }: Runtime['catalog'], tenant?: string): AsyncGenerator<ArchivedFile> {
  const sets = [...orbisets.values()].filter((orbiset) => tenant === undefined || orbiset.tenant === tenant);
  const isOf = ({ orb_id }: Orb): boolean => tenant === undefined || sets.some((set) => admitsOrb(set, orb_id));
  for (const orb of [...orbs.values()].filter(isOf))
    yield { path: `manifests/${hexOf(orb.digest)}.json`, content: canonical(orb.manifest) };
}

async function* policyFiles(revisions: ReturnType<PolicyHistory['between']>): AsyncGenerator<ArchivedFile> {
  let number = 0;
  for await (const revision of revisions) {
    const path = `policies/${String(number++).padStart(6, '0')}-${hexOf(revision.revision)}.json`;
    yield { path, content: `${JSON.stringify(revision, undefined, 2)}\n` };
  }
}

function hexOf(digest: string): string {
  return digest.slice('sha256:'.length);
}
