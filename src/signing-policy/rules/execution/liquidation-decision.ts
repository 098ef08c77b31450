import { liquidatedBy } from '../../decision.ts';
import type { ExecutionEvidence } from '../../evidence.ts';
import { requireInputsAt, requireOutputsAt } from '../../flows.ts';
import { type Judged, requireJust } from '../../judged.ts';

/** The decision to liquidate moves nothing but the operator's fee, and names its proposal. */
export function judgeDecision(judged: Judged, { proposalId }: ExecutionEvidence): void {
  const { operator, transaction } = judged;
  requireInputsAt(judged, [operator]);
  requireOutputsAt(judged, [operator]);
  requireJust(liquidatedBy(transaction) === proposalId, 'it records another decision');
}
