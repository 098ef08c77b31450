import { type Custody, custodySigners } from './custody.ts';
import { buildBalanced, type Payer } from './funding.ts';
import type { ChainContext } from '../ledger/parameters.ts';
import type { BuiltTransaction } from '../transaction.ts';

/** Metadata label of a vault's decisions. */
const decisionLabel = 868_484;

export interface Decision {
  readonly custody: Custody;
  readonly proposalId: string;
  readonly decision: 'liquidate';
  readonly operator: Payer;
  readonly ttlSlot: number;
}

/** Records a vault's decision on the ledger, signed by vault and cosigners. Moves nothing from custody; the operator pays the fee. Throws INSUFFICIENT_FUNDS. */
export function buildDecision({ parameters }: ChainContext, input: Decision): BuiltTransaction {
  const { custody, proposalId, decision, operator, ttlSlot } = input;
  return buildBalanced(parameters, operator, {
    outputs: [],
    metadata: { [decisionLabel]: { v: 1, proposal: proposalId, decision } },
    ttlSlot,
    ...custodySigners(custody),
  });
}
