import { scriptAddress, readPaymentKeyHash } from '../cardano/scripts/address.ts';
import { ownGuards, type VaultGuards } from '../cardano/scripts/own-guards.ts';
import { claimsAddressOf, custodyAddressOf, liquidityAddressOf } from '../cardano/scripts/script-addresses.ts';
import { settlementScript } from '../cardano/scripts/vault-scripts.ts';
import type { KeyHash, NetworkId } from '../cardano/transaction.ts';

/** What the addresses of a vault are derived from. */
type VaultKeys = Pick<
  VaultGuards,
  'vaultKeyHash' | 'cosigners' | 'formerCustodies' | 'settlementKeyHash' | 'settlesBySlot'
> & { readonly policyKeyHash: KeyHash };

/** Where the value of a vault lies, derived from its own keys. */
export interface VaultAddresses extends VaultKeys {
  readonly custody: string;
  readonly settlement: string;
  readonly liquidity: string;
  readonly claims: string;
  /** The custodies and the liquidity addresses of before its rotations. */
  readonly former: { readonly custodies: readonly string[]; readonly liquidities: readonly string[] };
  /** All of these. */
  readonly own: readonly string[];
}

/** Derives the addresses of a vault from its keys, and from the cosigners that its custody scripts name. */
export function vaultAddressesOf(vault: VaultKeys, networkId: NetworkId): VaultAddresses {
  const { address: custody } = custodyAddressOf(vault, networkId);
  const settlement = scriptAddress(settlementScript({ vaultKeyHash: vault.settlementKeyHash }), networkId);
  const formerCustodies = vault.formerCustodies.map((former) => ({
    ...former,
    contractAddress: custodyAddressOf(former, networkId).address,
  }));
  const known = { contractAddress: custody, settlementAddress: settlement, formerCustodies };
  const guards = ownGuards({ ...vault, ...known }, networkId);
  const { address: liquidity } = liquidityAddressOf(vault, networkId);
  const formerOf = (kind: string, present: string) =>
    guards.filter((guard) => guard.kind === kind && guard.address !== present).map(({ address }) => address);
  return {
    ...vault,
    custody,
    settlement,
    liquidity,
    claims: claimsAddressOf(vault, networkId).address,
    former: { custodies: formerOf('custody', custody), liquidities: formerOf('liquidity', liquidity) },
    own: guards.map(({ address }) => address),
  };
}

/**
 * Among the addresses that the transaction of a deposit pays, those of its owner's key: the script of the deposit names the key alone, which
 * goes with any stake key, but the change went where the owner meant. None where there was no change, and of what others have sent.
 */
export function ownerAddresses(paid: readonly string[] | undefined, owner: KeyHash | undefined): string[] {
  if (owner === undefined) return [];
  return [...new Set(paid)].filter((address) => readPaymentKeyHash(address) === owner).sort();
}
