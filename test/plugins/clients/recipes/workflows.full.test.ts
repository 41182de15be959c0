import { expect } from 'chai';
import { guideBlocks } from '../../../helpers/guide.ts';
import { inNode, inPython, testSteps } from './killed.ts';
import { countMails, runProgram } from './place.ts';

const page = 'plugins/docs/pages/call/workflows.md';

/** What the runner sets (docs.github.com/en/actions/reference/workflows-and-actions/variables). */
const runner = (subject: string, attempt: number, run = subject): Readonly<Record<string, string>> => ({
  ...{ CI: 'true', GITHUB_ACTIONS: 'true', GITHUB_REPOSITORY: 'example/shop', GITHUB_RUN_ID: run },
  ...{ GITHUB_RUN_ATTEMPT: String(attempt), GITHUB_JOB: 'announce', GITHUB_ACTION: 'mail' },
  ...{ GITHUB_OUTPUT: `set-output-${subject}`, SUBJECT: subject },
});

testSteps(
  page,
  [
    {
      name: 'a Temporal activity',
      step: (subject, attempt) => ({ words: inPython('try_activity.py', String(attempt), subject) }),
    },
    {
      name: 'a step of GitHub Actions',
      step: (subject, attempt) => ({ words: inNode('.github/mail.mjs'), env: runner(subject, attempt) }),
    },
  ],
  (reader) => {
    it('the key is that of the step: another run of a workflow is another effect', async () => {
      for (const run of ['1', '2'])
        expect((await runProgram(reader(), inNode('.github/mail.mjs'), runner('again', 1, run))).end).to.equal(0);
      expect(countMails(reader()).get('again')).to.equal(2);
    });

    it('the workflow runs the program in the step `mail` of the job `announce`', () => {
      const workflow = guideBlocks(page).find(({ language }) => language === 'yaml')?.code ?? '';
      const [, job] = /^jobs:\n {2}(\w+):$/m.exec(workflow) ?? [];
      const [, id, run] = /^ {6}- id: (\w+)\n {8}run: node (\S+)$/m.exec(workflow) ?? [];
      expect({ job, id, run }).to.deep.equal({ job: 'announce', id: 'mail', run: '.github/mail.mjs' });
      expect(workflow).to.include(`steps.${id}.outputs.receipt_id`);
    });
  },
);
