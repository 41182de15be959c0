import { given, type Finding } from '../../../kernel/index.ts';

type Make = (name: string, detail: string, remedy?: string) => Finding;

const found =
  (state: Finding['state']): Make =>
  (name, detail, remedy) =>
    given({ name, state, detail, remedy });

/** Makes the finding of a thing that is wrong; `remedy`: what to do about it. */
export const fault: Make = found('fault');
/** Makes the finding of a thing that can become wrong. */
export const warning: Make = found('warning');
/** Makes the finding of a thing that was not examined. */
export const skipped: Make = found('skipped');
