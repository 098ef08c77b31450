import { extensionAfterSale } from '../../termination/rules/claims/sale-extension.ts';
import type { ChainTransaction } from '../../transactions/queries/chain-transactions.ts';
import { changePot, lockTermination, setSaleExtension } from '../../termination/queries/terminations.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';
import { getVault } from '../../vaults/queries/vaults.ts';
import { releaseAssets, restoreAssets } from '../../assets/departing-assets.ts';
import { publishClaimsChange } from '../../termination/publish-claims-change.ts';
import type { ExecutionEffect } from './execution-effect.ts';

/** Sold assets are RELEASED. The price of a sale while claims run is in the pot once it is final. */
export const assetSale: ExecutionEffect = {
  async apply(context, { effect }) {
    await releaseAssets(context, effect.assetIds, 'sold');
  },

  async final(context, { vaultId }, transaction) {
    const { tx, now } = context;
    const credit = await creditOf(context, vaultId, transaction);
    if (credit === 0n) return;
    const credited = await changePot(tx, vaultId, { lovelace: credit });
    const extension = credited && extensionAfterSale(credited, now);
    const extended = extension && (await setSaleExtension(tx, vaultId, extension));
    await publishClaimsChange(context, extended ?? credited, transaction);
  },

  async undo(context, { effect, vaultId }, transaction) {
    const credit = transaction.state === 'final' ? await creditOf(context, vaultId, transaction) : 0n;
    if (credit > 0n) {
      const debited = await changePot(context.tx, vaultId, { lovelace: 0n - credit });
      await publishClaimsChange(context, debited, transaction);
    }
    await restoreAssets(context, effect.assetIds);
  },
};

/** What a final sale brings into the pot of a vault that ends. */
async function creditOf(
  { tx }: TransactionContext,
  vaultId: string,
  { outputs: [proceeds] }: ChainTransaction,
): Promise<bigint> {
  const termination = await lockTermination(tx, vaultId);
  const { contractAddress, formerCustodies } = await getVault(tx, vaultId);
  const custodies = [contractAddress, ...formerCustodies.map((former) => former.contractAddress)];
  // One that was sent before the end began has brought its price to custody, from where it was gathered.
  return !termination || proceeds === undefined || custodies.includes(proceeds.address) ? 0n : proceeds.lovelace;
}
