import type { CborMap } from '../../../chain/cbor/read-cbor.ts';
import type { ExecutionEvidence } from '../../evidence.ts';
import { requireInputsAt, requireOutputsAt } from '../../flows.ts';
import { type Judged, requireJust } from '../../judged.ts';

const LABEL = 868_484;

/** The decision to liquidate moves nothing but the operator's fee, and names its proposal. */
export function judgeDecision(judged: Judged, { proposalId }: ExecutionEvidence): void {
  const { operator, transaction } = judged;
  requireInputsAt(judged, [operator]);
  requireOutputsAt(judged, [operator]);
  const { metadata } = transaction;
  const decision = metadata?.get(LABEL);
  requireJust(metadata?.size === 1 && decision instanceof Map, 'it records no decision');
  const { proposal, decision: name } = Object.fromEntries(decision as CborMap) as Record<string, unknown>;
  requireJust(proposal === proposalId && name === 'liquidate', 'it records another decision');
}
