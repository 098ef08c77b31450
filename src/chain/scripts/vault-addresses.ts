import { readWalletAddress } from './address.ts';
import { claimsScript, type CustodyGuard, custodyScript, liquidityScript, settlementScript } from './vault-scripts.ts';
import type { NativeScript } from './native-script.ts';
import { claimsAddressOf, depositAddressOf, liquidityAddressOf, type ScriptAddress } from './script-addresses.ts';
import type { NetworkId } from '../transaction.ts';
import type { VaultAddress } from '../../domain/vault/vault-address.ts';

/** What a vault's addresses are derived from. */
interface VaultKeys extends CustodyGuard {
  readonly settlesBySlot: number;
  readonly contractAddress: string;
  readonly settlementAddress: string;
}

interface VaultUsers {
  /** Addresses of the wallets that deposited something. */
  readonly depositors: readonly string[];
  readonly stakeAddresses: readonly string[];
}

/** Every address of a vault, each once. */
export function vaultAddresses(vault: VaultKeys, users: VaultUsers, networkId: NetworkId): VaultAddress[] {
  const own: VaultAddress[] = [
    { kind: 'custody', address: vault.contractAddress, depositor: null },
    { kind: 'settlement', address: vault.settlementAddress, depositor: null },
    { kind: 'liquidity', address: liquidityAddressOf(vault, networkId).address, depositor: null },
    { kind: 'claims', address: claimsAddressOf(vault, networkId).address, depositor: null },
  ];
  const deposits = users.depositors.map((depositor): VaultAddress => {
    return { kind: 'deposit', address: depositOf(vault, depositor, networkId).address, depositor };
  });
  const stakes = users.stakeAddresses.map((address): VaultAddress => ({ kind: 'stake', address, depositor: null }));
  // Two wallet addresses with the same payment key have the same deposit address.
  return [...new Map([...own, ...deposits, ...stakes].map((entry) => [entry.address, entry])).values()];
}

/** The script of an address that the vault's key alone can spend from; null when others have to sign too. */
export function singleKeyScript(
  vault: VaultKeys,
  { kind, depositor }: Pick<VaultAddress, 'kind' | 'depositor'>,
  networkId: NetworkId,
): NativeScript | null {
  switch (kind) {
    case 'custody':
      return vault.cosigners ? null : custodyScript(vault);
    case 'settlement':
      return settlementScript(vault);
    case 'liquidity':
      return liquidityScript(vault);
    case 'claims':
      return claimsScript(vault);
    case 'deposit':
      return depositor === null ? null : depositOf(vault, depositor, networkId).script;
    case 'stake':
      return null;
  }
}

function depositOf(vault: VaultKeys, depositor: string, networkId: NetworkId): ScriptAddress {
  const read = readWalletAddress(depositor, networkId);
  if (typeof read === 'string') throw new Error(`the depositor ${depositor} has no wallet address: ${read}`);
  return depositAddressOf(vault, read.paymentKeyHash, networkId);
}
