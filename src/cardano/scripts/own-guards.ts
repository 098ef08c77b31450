import { custodyScript, settlementScript } from './vault-scripts.ts';
import type { NativeScript } from './native-script.ts';
import { claimsAddressOf, liquidityAddressOf } from './script-addresses.ts';
import type { KeyHash, NetworkId } from '../transaction.ts';
import type { VaultAddress, VaultCustody } from '../../vaults/rules/vault.ts';

/** What a vault's addresses are derived from. */
export interface VaultGuards extends VaultCustody {
  readonly formerCustodies: readonly VaultCustody[];
  readonly settlementKeyHash: KeyHash;
  readonly settlesBySlot: number;
  readonly settlementAddress: string;
}

/** A script from which a key of a vault spends, and that key. */
export interface VaultGuard {
  readonly script: NativeScript;
  readonly keyHash: KeyHash;
  /** Who has to sign besides the key; null when nobody has. */
  readonly cosigners: VaultCustody['cosigners'];
}

/** An address of a vault itself. */
export interface OwnGuard extends VaultGuard, Pick<VaultAddress, 'kind' | 'address'> {}

/** What guards the addresses of a vault itself: the present ones first. A rotation that keeps the key keeps some of them. */
export function ownGuards(vault: VaultGuards, networkId: NetworkId): OwnGuard[] {
  const settlement = settlementScript({ vaultKeyHash: vault.settlementKeyHash });
  const guards: OwnGuard[] = [
    ...custodyGuards(vault, networkId),
    {
      kind: 'settlement',
      address: vault.settlementAddress,
      script: settlement,
      keyHash: vault.settlementKeyHash,
      cosigners: null,
    },
    ...vault.formerCustodies.toReversed().flatMap((former) => custodyGuards(former, networkId)),
  ];
  return guards.filter(({ address }, index) => guards.findIndex((guard) => guard.address === address) === index);
}

/** A custody, and the other addresses of its key. */
function custodyGuards(custody: VaultCustody, networkId: NetworkId): OwnGuard[] {
  const { vaultKeyHash: keyHash, cosigners, contractAddress: address } = custody;
  return [
    { kind: 'custody', address, script: custodyScript(custody), keyHash, cosigners },
    { kind: 'liquidity', ...liquidityAddressOf(custody, networkId), keyHash, cosigners: null },
    { kind: 'claims', ...claimsAddressOf(custody, networkId), keyHash, cosigners: null },
  ];
}
