import type { LentEvidence } from '../../evidence.ts';
import type { Judged } from '../../judged.ts';

/** Since an output of the pot was made, the ledger may have come to ask for less. */
const MIN_ADA_PER_OUTPUT = 2n;

/** The lovelace that the operator may take back of what it lent: what the row says, and no more than the outputs of the pot needed. */
export function lentToPot({ minAda }: Pick<Judged, 'minAda'>, { float, pots }: LentEvidence): bigint {
  const most = BigInt(pots) * MIN_ADA_PER_OUTPUT * minAda.ofToken;
  return float < most ? float : most;
}
