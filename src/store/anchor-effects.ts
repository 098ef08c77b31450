import { returnInputs } from './anchor-lanes.ts';
import { setLanded } from './anchors.ts';
import type { Effects } from './effects.ts';

/** An anchor changes only what is known of its facts, which stand since they were committed (design §5). */
export const anchorEffects: Effects = {
  confirmed: ({ tx }, { id }) => setLanded(tx, id, true),
  rolledBack: ({ tx }, { id }) => setLanded(tx, id, false),
  ended: ({ tx }, { id }) => returnInputs(tx, id),
};
