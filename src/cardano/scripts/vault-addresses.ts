import { readWalletAddress } from './address.ts';
import { ownGuards, type VaultGuard, type VaultGuards } from './own-guards.ts';
import { depositAddressOf, type ScriptAddress } from './script-addresses.ts';
import type { NetworkId } from '../transaction.ts';
import type { VaultAddress } from '../../vaults/rules/vault.ts';

interface VaultUsers {
  /** Addresses of the wallets that deposited something. */
  readonly depositors: readonly string[];
  readonly stakeAddresses: readonly string[];
}

/** Every address of a vault, each once. */
export function vaultAddresses(vault: VaultGuards, users: VaultUsers, networkId: NetworkId): VaultAddress[] {
  const own = ownGuards(vault, networkId).map(({ kind, address }): VaultAddress => ({
    kind,
    address,
    depositor: null,
  }));
  const deposits = users.depositors.map((depositor): VaultAddress => {
    return { kind: 'deposit', address: depositOf(vault, depositor, networkId).address, depositor };
  });
  const stakes = users.stakeAddresses.map((address): VaultAddress => ({ kind: 'stake', address, depositor: null }));
  // Two wallet addresses with the same payment key have the same deposit address.
  return [...new Map([...own, ...deposits, ...stakes].map((entry) => [entry.address, entry])).values()];
}

/** Who spends from an address of a vault: one of its keys, with its cosigners where it has any; null where the owner of a stake has to sign. */
export function vaultGuardOf(
  vault: VaultGuards,
  { kind, address, depositor }: VaultAddress,
  networkId: NetworkId,
): VaultGuard | null {
  if (kind === 'stake') return null;
  if (kind === 'deposit') {
    if (depositor === null) return null;
    const { script } = depositOf(vault, depositor, networkId);
    return { script, keyHash: vault.settlementKeyHash, cosigners: null };
  }
  return ownGuards(vault, networkId).find((guard) => guard.address === address) ?? null;
}

function depositOf(vault: VaultGuards, depositor: string, networkId: NetworkId): ScriptAddress {
  const read = readWalletAddress(depositor, networkId);
  if (typeof read === 'string') throw new Error(`the depositor ${depositor} has no wallet address: ${read}`);
  return depositAddressOf(vault, read.paymentKeyHash, networkId);
}
