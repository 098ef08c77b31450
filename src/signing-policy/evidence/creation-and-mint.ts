import { blake2b256 } from '../../cardano/blake2b.ts';
import { ftNameHex, referenceNameHex, tokenNameHex } from '../../cardano/tokens/fractional-token.ts';
import { vaultNftNameHex } from '../../cardano/tokens/vault-nft.ts';
import { commitmentToCreation } from '../../settlement/rules/plan-commitment.ts';
import { countedPrices } from './counted-prices.ts';
import { findCreation, findEarlierMint } from './earlier-mint.ts';
import type { Gather } from './evidence-context.ts';
import { landedCreation } from './landed-creation.ts';
import { plannedDeposits } from './settlement-plan.ts';
import { gatherVault } from './vault-evidence.ts';

export const gatherCreation: Gather<'create_vault'> = async (context, recorded) => {
  const { row, vault } = await gatherVault(context, recorded);
  const found = await findCreation(context.ledger, vault.policyKeyHash);
  return {
    vault,
    vaultId: row.id,
    nftNameHex: vaultNftNameHex(row.name),
    terms: commitmentToCreation(blake2b256, row.terms),
    earlierCreation: found === recorded.hash ? null : found,
  };
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
    creation: await landedCreation(context, vault),
    terms: commitmentToCreation(blake2b256, row.terms),
    earlierMint: await findEarlierMint(context.ledger, { ...vault, address: vault.settlement }),
  };
};
