import { readWalletAddress } from './address.ts';
import { custodyScript, settlementScript } from './vault-scripts.ts';
import type { NativeScript } from './native-script.ts';
import { claimsAddressOf, depositAddressOf, liquidityAddressOf, type ScriptAddress } from './script-addresses.ts';
import type { KeyHash, NetworkId } from '../transaction.ts';
import type { VaultAddress } from '../../domain/vault/vault-address.ts';
import type { VaultCustody } from '../../domain/vault/vault-custody.ts';

/** What a vault's addresses are derived from. */
export interface VaultGuards extends VaultCustody {
  readonly formerCustodies: readonly VaultCustody[];
  readonly settlementKeyHash: KeyHash;
  readonly settlesBySlot: number;
  readonly settlementAddress: string;
}

interface VaultUsers {
  /** Addresses of the wallets that deposited something. */
  readonly depositors: readonly string[];
  readonly stakeAddresses: readonly string[];
}

/** A script that one key of a vault spends from, and that key. */
export interface SingleKeyGuard {
  readonly script: NativeScript;
  readonly keyHash: KeyHash;
}

/** An address of a vault itself. */
export interface OwnGuard extends SingleKeyGuard, Pick<VaultAddress, 'kind' | 'address'> {
  /** Who has to sign besides the key; null when nobody has. */
  readonly cosigners: VaultCustody['cosigners'];
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

/** Who spends from an address of a vault when one of its keys can do so alone; null when others have to sign too. */
export function singleKeyGuard(
  vault: VaultGuards,
  { kind, address, depositor }: VaultAddress,
  networkId: NetworkId,
): SingleKeyGuard | null {
  if (kind === 'stake') return null;
  if (kind === 'deposit') {
    if (depositor === null) return null;
    return { script: depositOf(vault, depositor, networkId).script, keyHash: vault.settlementKeyHash };
  }
  const own = ownGuards(vault, networkId).find((guard) => guard.address === address);
  return own?.cosigners === null ? own : null;
}

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

function depositOf(vault: VaultGuards, depositor: string, networkId: NetworkId): ScriptAddress {
  const read = readWalletAddress(depositor, networkId);
  if (typeof read === 'string') throw new Error(`the depositor ${depositor} has no wallet address: ${read}`);
  return depositAddressOf(vault, read.paymentKeyHash, networkId);
}
