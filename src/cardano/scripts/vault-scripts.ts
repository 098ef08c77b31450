import type { RegisteredCosigners } from '../../vaults/rules/vault.ts';
import type { KeyHash } from '../transaction.ts';
import type { NativeScript } from './native-script.ts';

/** Guards an owner's deposit: the vault's key can spend it at any time, the owner alone from the deadline on (design D20). */
export function depositScript(of: {
  readonly vaultKeyHash: KeyHash;
  readonly ownerKeyHash: KeyHash;
  readonly deadlineSlot: number;
}): NativeScript {
  return { any: [{ sig: of.vaultKeyHash }, { all: [{ sig: of.ownerKeyHash }, { after: of.deadlineSlot }] }] };
}

/** What the custody of a vault is guarded by; `cosigners` is null when it registered none. */
export interface CustodyGuard {
  readonly vaultKeyHash: KeyHash;
  readonly cosigners: RegisteredCosigners | null;
}

/**
 * Guards the vault's `contractAddress`: the vault's key, or k of its registered cosigners and either the vault's key or the date from
 * which on they need none (design D20).
 */
export function custodyScript({ vaultKeyHash, cosigners }: CustodyGuard): NativeScript {
  const vault: NativeScript = { sig: vaultKeyHash };
  if (!cosigners) return vault;
  const { required, keyHashes, alone } = cosigners;
  const some: NativeScript = { atLeast: required, of: keyHashes.map((sig) => ({ sig })) };
  return { all: [some, { any: [vault, { after: alone.fromSlot }] }] };
}

/** Guards fractional tokens and invested ADA during the settlement; its shape makes its address differ from custody. */
export function settlementScript(of: { readonly vaultKeyHash: KeyHash }): NativeScript {
  return { all: [{ sig: of.vaultKeyHash }] };
}

/** Guards the vault's liquidity share; its shape makes its address differ from custody and settlement (design D13d). */
export function liquidityScript(of: { readonly vaultKeyHash: KeyHash }): NativeScript {
  return { any: [{ sig: of.vaultKeyHash }] };
}

/** Guards the pot of a vault that ends; its shape makes its address differ from the others of the vault (design D31). */
export function claimsScript(of: { readonly vaultKeyHash: KeyHash }): NativeScript {
  return { atLeast: 1, of: [{ sig: of.vaultKeyHash }] };
}

/** Guards staked tokens: vault and owner can spend them together, the owner alone from the release slot on (design D24). */
export function stakeScript(of: {
  readonly vaultKeyHash: KeyHash;
  readonly ownerKeyHash: KeyHash;
  readonly releaseSlot: number;
}): NativeScript {
  const owner: NativeScript = { sig: of.ownerKeyHash };
  return { any: [{ all: [{ sig: of.vaultKeyHash }, owner] }, { all: [owner, { after: of.releaseSlot }] }] };
}

/**
 * Minting policy of one transaction: it ends with the last slot in which that transaction can be confirmed, so nobody can mint again soon
 * after it (design D43).
 */
export function policyScript(of: { readonly policyKeyHash: KeyHash; readonly deadlineSlot: number }): NativeScript {
  return { all: [{ sig: of.policyKeyHash }, { before: of.deadlineSlot }] };
}
