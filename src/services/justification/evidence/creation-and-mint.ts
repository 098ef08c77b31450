import { ftNameHex, referenceNameHex, tokenNameHex } from '../../../chain/tokens/fractional-token.ts';
import { vaultNftNameHex } from '../../../chain/tokens/vault-nft.ts';
import { countedPrices } from './counted-prices.ts';
import { findEarlierMint } from './earlier-mint.ts';
import type { Gather } from './evidence-context.ts';
import { plannedDeposits } from './settlement-plan.ts';
import { gatherVault } from './vault-evidence.ts';

export const gatherCreation: Gather<'create_vault'> = async (context, recorded) => {
  const { row, vault } = await gatherVault(context, recorded);
  return { vault, vaultId: row.id, nftNameHex: vaultNftNameHex(row.name) };
};

export const gatherMint: Gather<'mint'> = async (context, recorded) => {
  const ofVault = await gatherVault(context, recorded);
  const { row, vault } = ofVault;
  const nameHex = tokenNameHex(row.name);
  const planned = await plannedDeposits(context, ofVault);
  return {
    vault,
    ...planned,
    counted: await countedPrices(context, row, planned.plan),
    ftName: ftNameHex(nameHex),
    referenceName: referenceNameHex(nameHex),
    supply: row.terms.ftSupply,
    decimals: row.terms.ftDecimals,
    earlierMint: await findEarlierMint(context.ledger, { ...vault, address: vault.settlement }),
  };
};
