import { blake2b256 } from '../../cardano/blake2b.ts';
import { ftNameHex, referenceNameHex, tokenNameHex } from '../../cardano/tokens/fractional-token.ts';
import { vaultNftNameHex } from '../../cardano/tokens/vault-nft.ts';
import { ServiceError } from '../../platform/errors.ts';
import { commitmentToCreation } from '../../settlement/rules/plan-commitment.ts';
import { creationOf } from '../mint.ts';
import { decodeTransaction, readUntrusted } from '../decoder.ts';
import type { ConfirmedCreation } from '../evidence.ts';
import { findCreation, findEarlierMint, type Labelled } from './earlier-mint.ts';
import { type Gather, gatherVault } from './vault.ts';
import { countedPrices, plannedDeposits } from './settlement.ts';
import type { VaultAddresses } from '../addresses.ts';

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
    creation: await confirmedCreation(context, vault),
    terms: commitmentToCreation(blake2b256, row.terms),
    earlierMint: await findEarlierMint(context.ledger, { ...vault, address: vault.settlement }),
  };
};

/** What the creation of a vault says on the ledger: the first one with its policy key, since the worker signs no second one. */
export async function confirmedCreation(
  { ledger }: { readonly ledger: Labelled },
  { policyKeyHash }: Pick<VaultAddresses, 'policyKeyHash'>,
): Promise<ConfirmedCreation> {
  const hash = await findCreation(ledger, policyKeyHash);
  const made = hash && readUntrusted(await ledger.transactionCbor(hash), decodeTransaction);
  if (!made || made.hash !== hash)
    throw new ServiceError('LEDGER_UNAVAILABLE', { reason: 'the creation of the vault is in no block yet' });
  return creationOf(made, policyKeyHash);
}
