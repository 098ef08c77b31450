import type { KeyHash } from '../transaction.ts';
import type { NativeScript } from './native-scripts.ts';

/** Where an owner's asset or ADA waits: the vault's key moves it any time, its owner alone from the deadline on (design D20). */
export function depositScript(of: {
  readonly vaultKeyHash: KeyHash;
  readonly ownerKeyHash: KeyHash;
  readonly deadlineSlot: number;
}): NativeScript {
  return { any: [{ sig: of.vaultKeyHash }, { all: [{ sig: of.ownerKeyHash }, { after: of.deadlineSlot }] }] };
}

/** The vault's `contractAddress`: its key, and k of its registered cosigners where there are any (design D20). */
export function custodyScript(of: {
  readonly vaultKeyHash: KeyHash;
  readonly cosigners?: { readonly required: number; readonly keyHashes: readonly KeyHash[] };
}): NativeScript {
  const vault: NativeScript = { sig: of.vaultKeyHash };
  if (!of.cosigners) return vault;
  const { required, keyHashes } = of.cosigners;
  return { all: [vault, { atLeast: required, of: keyHashes.map((sig) => ({ sig })) }] };
}

/** Holds the fractional tokens and gathered ADA while a vault settles; distinct from custody by its shape. */
export function settlementScript(of: { readonly vaultKeyHash: KeyHash }): NativeScript {
  return { all: [{ sig: of.vaultKeyHash }] };
}

/** Owned by the vault: where its liquidity share waits, distinct from custody and settlement by its shape (design D13d). */
export function liquidityScript(of: { readonly vaultKeyHash: KeyHash }): NativeScript {
  return { any: [{ sig: of.vaultKeyHash }] };
}

/** Where a staker's tokens lie: vault and owner move them together, the owner alone from the release on (design D24). */
export function stakeScript(of: {
  readonly vaultKeyHash: KeyHash;
  readonly ownerKeyHash: KeyHash;
  readonly releaseSlot: number;
}): NativeScript {
  const owner: NativeScript = { sig: of.ownerKeyHash };
  return { any: [{ all: [{ sig: of.vaultKeyHash }, owner] }, { all: [owner, { after: of.releaseSlot }] }] };
}

/** Mints until the deadline, never after it: the supply is provably fixed then (design D21). */
export function policyScript(of: { readonly policyKeyHash: KeyHash; readonly deadlineSlot: number }): NativeScript {
  return { all: [{ sig: of.policyKeyHash }, { before: of.deadlineSlot }] };
}
