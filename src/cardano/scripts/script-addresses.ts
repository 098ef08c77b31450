import { scriptAddress } from './address.ts';
import {
  claimsScript,
  type CustodyGuard,
  custodyScript,
  depositScript,
  liquidityScript,
  stakeScript,
} from './vault-scripts.ts';
import type { NativeScript } from './native-script.ts';
import type { KeyHash, NetworkId } from '../transaction.ts';

/** An address with the script that spends from it. */
export interface ScriptAddress {
  readonly script: NativeScript;
  readonly address: string;
}

/** The address of an owner's deposits until the settlement (design D20). `settlesBySlot` is the slot of T. */
export function depositAddressOf(
  { settlementKeyHash, settlesBySlot }: { readonly settlementKeyHash: KeyHash; readonly settlesBySlot: number },
  ownerKeyHash: KeyHash,
  networkId: NetworkId,
): ScriptAddress {
  const script = depositScript({ vaultKeyHash: settlementKeyHash, ownerKeyHash, deadlineSlot: settlesBySlot });
  return { script, address: scriptAddress(script, networkId) };
}

/** The address of a vault's custody. */
export function custodyAddressOf(guard: CustodyGuard, networkId: NetworkId): ScriptAddress {
  const script = custodyScript(guard);
  return { script, address: scriptAddress(script, networkId) };
}

export function liquidityAddressOf(of: { readonly vaultKeyHash: KeyHash }, networkId: NetworkId): ScriptAddress {
  const script = liquidityScript(of);
  return { script, address: scriptAddress(script, networkId) };
}

/** The address of the pot of a vault that ends. */
export function claimsAddressOf(of: { readonly vaultKeyHash: KeyHash }, networkId: NetworkId): ScriptAddress {
  const script = claimsScript(of);
  return { script, address: scriptAddress(script, networkId) };
}

/** The address of an owner's stakes; until the release slot only vault and owner together can spend them (design D24). */
export function stakeAddressOf(
  { vaultKeyHash }: { readonly vaultKeyHash: KeyHash },
  { ownerKeyHash, releaseSlot }: { readonly ownerKeyHash: KeyHash; readonly releaseSlot: number },
  networkId: NetworkId,
): ScriptAddress {
  const script = stakeScript({ vaultKeyHash, ownerKeyHash, releaseSlot });
  return { script, address: scriptAddress(script, networkId) };
}
