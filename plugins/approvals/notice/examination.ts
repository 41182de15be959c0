import { fine, type Examination } from '../../../kernel/index.ts';

const name = 'approval notices';

interface Overview {
  readonly concerns: readonly {
    readonly name: string;
    readonly count: number;
    readonly more?: boolean;
    readonly newest: readonly { readonly title: string; readonly reason?: string; readonly link?: string }[];
  }[];
}

/** Names the notices that did not reach the people of an open approval: nobody may know that a run waits. */
export const examineNotices: Examination = async ({ client }) => {
  let overview: Overview;
  try {
    overview = await client().request<Overview>('GET', '/overview');
  } catch (error) {
    return [{ name, state: 'skipped', detail: error instanceof Error ? error.message : String(error) }];
  }
  const failed = overview.concerns.find((concern) => concern.name === 'failed_approval_notices');
  if (failed === undefined) return [];
  const { count, more = false, newest } = failed;
  if (count === 0) return [fine(name, 'none of an open approval failed')];
  const listed = newest.map(({ title, reason, link }) => `${title}: ${[reason, link].filter(Boolean).join('; ')}`);
  const rest = count - newest.length;
  const detail = [...listed, ...(rest > 0 ? [`and ${rest}${more ? ' or more' : ''} others`] : [])].join('. ');
  return [
    {
      ...{ name, state: 'warning', detail },
      remedy:
        'The runs wait until somebody decides: tell the members of the group, then check the Orb and its provider.',
    },
  ];
};
