import type { VaultGuard } from '../../cardano/scripts/own-guards.ts';
import { vaultGuardOf } from '../../cardano/scripts/vault-addresses.ts';
import type { KeyHash, NetworkId } from '../../cardano/transaction.ts';
import { atField, fieldError, ServiceError } from '../../platform/errors/errors.ts';
import type { Cosigners } from '../../transactions/rules/signatures.ts';
import { refText } from '../../transactions/rules/utxo-ref.ts';
import type { UnsolicitedOutput } from '../queries/unsolicited.ts';
import type { Vault } from '../../vaults/queries/vaults.ts';

/** An unsolicited output, and who spends it. */
interface GuardedOutput {
  readonly output: UnsolicitedOutput;
  readonly guard: VaultGuard;
}

/** An unsolicited output of a vault with its guard. Throws UNSOLICITED_OUTPUT_NEEDS_OTHERS for one that an owner has to sign for. */
export function guardedOutput(
  vault: Vault,
  output: UnsolicitedOutput,
  { networkId, position }: { readonly networkId: NetworkId; readonly position: number },
): GuardedOutput {
  const { utxo, place: kind, depositor } = output;
  const guard = vaultGuardOf(vault, { kind, address: utxo.address, depositor }, networkId);
  if (guard) return { output, guard };
  const details = { output: refText(utxo), place: kind };
  throw atField(new ServiceError('UNSOLICITED_OUTPUT_NEEDS_OTHERS', details), `outputs.${position}`);
}

interface ReturnSigning {
  /** Keys of the vault. */
  readonly platform: readonly KeyHash[];
  readonly cosigners: Cosigners | null;
  readonly signers: readonly KeyHash[];
  /** Empty when the scripts alone say who has to sign. */
  readonly enforcedSigners: readonly KeyHash[];
}

/** Who signs a return. Throws INVALID_REQUEST when outputs of different custodies need cosigners: each of these needs a return of its own. */
export function signingOf(guarded: readonly GuardedOutput[]): ReturnSigning {
  const platform = [...new Set(guarded.map(({ guard }) => guard.keyHash))];
  const [first, ...others] = guarded.filter(({ guard }) => guard.cosigners !== null);
  const cosigners = first?.guard.cosigners ?? null;
  if (first === undefined || cosigners === null)
    return { platform, cosigners: null, signers: platform, enforcedSigners: [] };
  if (others.some(({ output }) => output.utxo.address !== first.output.utxo.address))
    throw fieldError('INVALID_REQUEST', 'outputs', 'Outputs of custodies with different cosigners return separately');
  const signers = [...platform, ...cosigners.keyHashes];
  const allSign = cosigners.required === cosigners.keyHashes.length;
  return { platform, cosigners, signers, enforcedSigners: allSign ? signers : platform };
}
