import type { Engine } from '../decide/engine.ts';
import type { SharedFolder } from '../folder/shared.ts';
import { folderDiffers, readOnly, type Enactment } from './enactment.ts';
import { activatedElsewhere } from '../revisions/activations.ts';

/**
 * Makes the enactment of one of several nodes, where the store defines the active revision: the commit completes the
 * activation, and the folders follow.
 */
export function enactShared(engine: Engine, folder: SharedFolder): Enactment {
  // If the files are managed elsewhere, they must be changed there: an activation here would not reach that place.
  const expectWrites = async (): Promise<void> => {
    if (await folder.refusesWrites()) throw readOnly();
  };
  return {
    // The activation ends with its commit.
    ended: () => Promise.resolve(),
    async expect(active) {
      await expectWrites();
      const state = await folder.look(active?.digest);
      if (state !== 'equal' && state !== 'behind') throw folderDiffers();
    },
    async enact({ revision, active, stored, who, drafts, overwrite, folder: fromFolder }) {
      if (!fromFolder) await expectWrites();
      // The files are based on the revision that was active then; another one may be active now.
      if (engine.active?.digest !== active?.digest) throw activatedElsewhere(engine.active?.digest, active?.digest);
      await engine.commit(revision, { ...who, drafts }, stored);
      await engine.serve(revision, who);
      if (fromFolder) await folder.note(revision.digest);
      if (engine.active !== undefined) await folder.bring(engine.active, { overwrite });
    },
    settle: () => folder.open(engine.stored),
    stop: () => Promise.resolve(),
  };
}
