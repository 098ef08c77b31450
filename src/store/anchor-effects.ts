import { returnInputs } from './anchor-lanes.ts';
import { setLanded } from './anchors.ts';
import type { Effects } from './effects.ts';
import { confirmVotes } from './votes.ts';

/** An anchor changes only what is known of its facts, which stand since they were committed (design §5). */
export const anchorEffects: Effects = {
  async confirmed({ tx, now }, { id }) {
    await setLanded(tx, id, true);
    await confirmVotes(tx, id, 'CONFIRMED', now);
  },
  async rolledBack({ tx, now }, { id }) {
    await setLanded(tx, id, false);
    await confirmVotes(tx, id, 'CAST', now);
  },
  ended: ({ tx }, { id }) => returnInputs(tx, id),
};
