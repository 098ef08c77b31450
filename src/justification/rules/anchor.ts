import type { CborMap } from '../../chain/cbor/read-cbor.ts';
import type { AnchorEvidence } from '../evidence.ts';
import { requireInputsAt, requireOutputsAt } from '../flows.ts';
import { requireJust } from '../judged.ts';
import { lifetime, type Rule } from '../rule.ts';

const LABEL = 868_483;

/** The operator records the root of a batch, and pays nothing but the fee. */
export const anchor: Rule<AnchorEvidence> = {
  keys: ['operator'],
  mayCarry: ['metadata'],
  lifetimeSeconds: lifetime.prepared,
  judge(judged, { root, count }) {
    const { operator, transaction } = judged;
    requireInputsAt(judged, [operator]);
    requireOutputsAt(judged, [operator]);
    const { metadata } = transaction;
    const anchored = metadata?.get(LABEL);
    requireJust(metadata?.size === 1 && anchored instanceof Map, 'it anchors nothing');
    const batch = anchored as CborMap;
    requireJust(
      batch.get('v') === 1 && batch.get('root') === root && batch.get('count') === count,
      'it anchors another root',
    );
  },
};
