import { stakeAddressOf } from '../../cardano/scripts/script-addresses.ts';
import type { KeyHash } from '../../cardano/transaction.ts';
import type { Signer } from '../../executions/rules/required-signatures.ts';
import { refText, type UtxoRef } from '../../transactions/rules/utxo-ref.ts';
import type { StakedCosigners } from '../evidence.ts';
import { sumOf } from '../flows.ts';
import { mayCosignWith } from '../rules/execution/cosigners.ts';
import { landedStakesAt } from '../../staking/queries/landed-stakes.ts';
import { stakesWithPower } from '../../staking/queries/vault-stakes.ts';
import { seenAt } from '../../ledger-follower/held-at.ts';
import type { EvidenceContext } from './evidence-context.ts';
import { mintedSupply } from './landed-mint.ts';
import type { SettledVault } from './vault-evidence.ts';

/**
 * What the cosigners of an execution have staked on the ledger, each as far as they need for the threshold, and of how many tokens. Rows only say
 * at which scripts to look: what lies there is the key's in the script. Throws LEDGER_UNAVAILABLE.
 */
export async function cosignerStakes(
  context: EvidenceContext,
  settled: SettledVault,
  { cosigners, threshold }: { readonly cosigners: readonly Signer[]; readonly threshold: bigint },
): Promise<StakedCosigners> {
  const supply = await governingSupply(context, settled);
  const byKey = new Map<KeyHash, bigint>();
  const unseen = new Map<KeyHash, readonly UtxoRef[]>();
  const enough = (staked: bigint) => mayCosignWith(staked, { threshold, supply });
  for (const cosigner of cosigners) {
    const found = await stakedOnLedger(context, settled, cosigner, enough);
    byKey.set(cosigner.keyHash, found.staked);
    if (found.unseen.length > 0) unseen.set(cosigner.keyHash, found.unseen);
  }
  return { supply, byKey, unseen };
}

/** All tokens that are on the ledger or, while holders claim, those that they have not returned. */
async function governingSupply(context: EvidenceContext, settled: SettledVault): Promise<bigint> {
  const { row, vault, ftUnit } = settled;
  const minted = await mintedSupply(context, settled);
  if (!row.claimsOpen) return minted;
  const { seen } = await seenAt(context, row.id, vault.claims);
  return minted - (sumOf(seen).assets.get(ftUnit) ?? 0n);
}

async function stakedOnLedger(
  { db, ledger, networkId, networkState }: EvidenceContext,
  { row, ftUnit, keyHashes }: SettledVault,
  { wallet, keyHash: ownerKeyHash }: Signer,
  enough: (staked: bigint) => boolean,
): Promise<{ readonly staked: bigint; readonly unseen: readonly UtxoRef[] }> {
  const [stakes, { anchor }] = await Promise.all([stakesWithPower(db, row.id, wallet), networkState()]);
  const addresses = new Set<string>();
  for (const { releaseSlot, vaultKeyHash } of stakes.toSorted((a, b) => (a.amount < b.amount ? 1 : -1))) {
    // From that slot on its owner takes it back alone.
    if (releaseSlot <= anchor.slot || !keyHashes.includes(vaultKeyHash)) continue;
    addresses.add(stakeAddressOf({ vaultKeyHash }, { ownerKeyHash, releaseSlot }, networkId).address);
  }
  let staked = 0n;
  const seen = new Set<string>();
  for (const address of addresses) {
    if (enough(staked)) break;
    const found = await ledger.walletUtxos(address, [ftUnit]);
    for (const output of found) seen.add(refText(output));
    staked += sumOf(found).assets.get(ftUnit) ?? 0n;
  }
  if (enough(staked)) return { staked, unseen: [] };
  const landed = await landedStakesAt(db, { vaultId: row.id, wallet, addresses: [...addresses] });
  return { staked, unseen: landed.filter((output) => !seen.has(refText(output))) };
}
