import { requireInputsAt, requireOutputsAt } from '../flows.ts';
import { lifetime, type Rule } from '../rule.ts';

/** The operator pays itself. */
export const fanOut: Rule<object> = {
  keys: ['operator'],
  mayCarry: [],
  lifetimeSeconds: lifetime.prepared,
  judge(judged) {
    requireInputsAt(judged, [judged.operator]);
    requireOutputsAt(judged, [judged.operator]);
  },
};
