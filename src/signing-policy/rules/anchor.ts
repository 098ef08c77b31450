import { anchoredBatchOf } from '../anchored-batch.ts';
import type { AnchorEvidence } from '../evidence.ts';
import { requireInputsAt, requireOutputsAt } from '../flows.ts';
import { requireJust } from '../judged.ts';
import { lifetime, type Rule } from '../rule.ts';

/** The operator records the root of a batch, and pays nothing but the fee. */
export const anchor: Rule<AnchorEvidence> = {
  keys: ['operator'],
  mayCarry: ['metadata'],
  lifetimeSeconds: lifetime.prepared,
  judge(judged, { root, count }) {
    const { operator, transaction } = judged;
    requireInputsAt(judged, [operator]);
    requireOutputsAt(judged, [operator]);
    const batch = anchoredBatchOf(transaction);
    requireJust(batch !== null, 'it anchors nothing');
    requireJust(batch.root === root && batch.count === count, 'it anchors another root');
  },
};
