import { PlatformError, serveThread } from '../../kernel/index.ts';

/** What the thread of the tests is told to do. */
export type TestJob = 'double' | 'refuse' | 'fail' | 'hang' | 'end' | 'parts';

serveThread((job: { readonly what: TestJob; readonly n: number }, send) => {
  if (job.what === 'parts') for (let part = 0; part < job.n; part++) send(part);
  if (job.what === 'refuse') throw new PlatformError('malformed_json', 'position 7', { retry_after: 3 });
  if (job.what === 'fail') throw new RangeError('a defect');
  if (job.what === 'end') process.exit(1);
  while (job.what === 'hang');
  return job.n * 2;
});
