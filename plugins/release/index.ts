import { definePlugin, grouped } from '../../kernel/index.ts';
import { examineOwnNode } from './node/advisories.ts';
import { versionCommand } from './node/version.ts';
import { verifyReleaseCommand } from './verify/command.ts';

/** Commands about the program itself: which version it is, and whether its files are those that were released. */
export default definePlugin({
  name: 'release',
  commands: grouped(
    [
      { name: 'verify-release', task: 'verify' },
      { name: 'version', task: 'shell' },
    ],
    [verifyReleaseCommand, versionCommand],
  ),
  examinations: [examineOwnNode],
  start: () => ({}),
});
