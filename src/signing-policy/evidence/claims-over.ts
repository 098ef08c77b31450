import { ServiceError } from '../../platform/errors/errors.ts';
import { CLAIM_SECONDS } from '../../termination/rules/claim-seconds.ts';
import { decodeOutputs, keyWitnessesOf } from '../decode-transaction.ts';
import type { ClaimsEvidence } from '../evidence.ts';
import { sumOf } from '../flows.ts';
import { vaultTransactions } from '../../transactions/queries/vault-transactions.ts';
import { outputsMissing, seenAt } from '../../ledger-follower/held-at.ts';
import { readUntrusted } from '../read-untrusted.ts';
import type { EvidenceContext } from './evidence-context.ts';
import { mintedSupply } from './landed-mint.ts';
import { slotsAfter } from './slots-after.ts';
import type { SettledVault } from './vault-evidence.ts';

/**
 * When holders cannot claim any more: their time begins after the pot was gathered on the ledger, and the terms to which the mint has
 * committed say how long it is at least. Throws LEDGER_UNAVAILABLE.
 */
export async function gatherClaimsOver(context: EvidenceContext, settled: SettledVault): Promise<ClaimsEvidence> {
  const { row, vault, ftUnit } = settled;
  const { claimSeconds = CLAIM_SECONDS } = row.terms.termination;
  const [{ seen, unseen }, supply, gatherings, chain] = await Promise.all([
    seenAt(context, row.id, vault.claims),
    mintedSupply(context, settled),
    landedGatherings(context, settled),
    context.networkState(),
  ]);
  const circulating = supply - (sumOf(seen).assets.get(ftUnit) ?? 0n);
  const overFromSlot = slotsAfter(chain, Math.min(...gatherings.map(({ slot }) => slot)), claimSeconds);
  // A backend that lags behind hides tokens that were returned.
  if (circulating > 0n && unseen.length > 0 && chain.anchor.slot < overFromSlot)
    throw outputsMissing(vault.claims, unseen);
  return { circulating, overFromSlot };
}

interface LandedGathering {
  readonly slot: number;
  /** Outputs of the pot that it made. */
  readonly pots: number;
}

/** The transactions on the ledger by which the vault has gathered its pot, one at least. Throws LEDGER_UNAVAILABLE. */
export async function landedGatherings(
  { db, ledger }: EvidenceContext,
  { row, vault, keyHashes }: SettledVault,
): Promise<LandedGathering[]> {
  const gatherings: LandedGathering[] = [];
  for (const { hash } of await vaultTransactions(db, row.id, ['gather_pot'])) {
    const [bytes, landed] = await Promise.all([ledger.transactionCbor(hash), ledger.transaction(hash)]);
    const pots = readUntrusted(bytes, (made) => {
      const { outputs } = decodeOutputs(made);
      const { hash: found, signers } = keyWitnessesOf(made);
      const isSigned = found === hash && signers.some((key) => keyHashes.includes(key));
      return isSigned ? outputs.filter(({ address }) => address === vault.claims).length : 0;
    });
    const block = pots && landed ? await ledger.block(landed.blockHash) : null;
    if (pots && block) gatherings.push({ slot: block.slot, pots });
  }
  if (gatherings.length > 0) return gatherings;
  throw new ServiceError('LEDGER_UNAVAILABLE', { reason: `the pot of vault ${row.id} is in no block` });
}
