import type { Custody } from './custody.ts';
import { buildFunded, type Payer } from './funding.ts';
import type { ChainContext } from '../ledger/parameters.ts';
import type { BuiltTransaction } from '../transaction.ts';

/** The metadata label that decisions of a vault stand under. */
const decisionLabel = 868_484;

export interface Decision {
  readonly custody: Custody;
  readonly proposalId: string;
  readonly word: 'liquidate';
  readonly operator: Payer;
  readonly ttlSlot: number;
}

/** Puts a vault's decision on the ledger, signed by vault and cosigners; nothing of custody moves, the operator pays the fee. Raises INSUFFICIENT_FUNDS. */
export function buildDecision({ parameters }: ChainContext, input: Decision): BuiltTransaction {
  const { custody, proposalId, word, operator, ttlSlot } = input;
  const signers = [custody.vaultKeyHash, ...custody.cosigners];
  return buildFunded(parameters, operator, {
    outputs: [],
    metadata: { [decisionLabel]: { v: 1, proposal: proposalId, decision: word } },
    ttlSlot,
    cosigners: signers,
    namedSigners: signers,
  });
}
