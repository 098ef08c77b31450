import type { Caller } from '../../access/rules.ts';
import { buildDepositReturn, type Deposit } from '../../cardano/build/deposits.ts';
import { COSIGNING_SECONDS, deadlineBefore } from '../../cardano/ledger/http.ts';
import type { NetworkState } from '../../cardano/ledger/network-state.ts';
import { type WalletAddress, paymentKeyHashOf } from '../../cardano/scripts/address.ts';
import type { VaultGuard } from '../../cardano/scripts/own-guards.ts';
import { vaultGuardOf } from '../../cardano/scripts/vault-addresses.ts';
import type { KeyHash, NetworkId } from '../../cardano/transaction.ts';
import type { ServiceContext } from '../../context.ts';
import { publish, platformEventFields } from '../../events/publish.ts';
import {
  lockUnsolicited,
  type UnsolicitedOutput,
  lockDuplicateToReturn,
  setReturning,
} from '../queries/unsolicited.ts';
import type { TransactionContext } from '../../platform/database/unit-of-work.ts';
import type { ErrorCode } from '../../platform/error-registry.ts';
import { atField, ServiceError, fieldError } from '../../platform/errors.ts';
import { transactionWorkflowId } from '../../platform/temporal/workflow-ids.ts';
import {
  type RecordedTransaction,
  buildAndRecord,
  startTransactionWorkflow,
} from '../../transactions/record-transaction.ts';
import {
  type Cosigners,
  platformSignature,
  type SignatureRule,
  type UtxoRef,
  refText,
} from '../../transactions/rules.ts';
import type { Vault } from '../../vaults/queries/vaults.ts';
import { requireReadableVault } from '../../vaults/require-vault.ts';
import type { WorkerContext } from '../../worker-context.ts';

interface ReturnUnsolicited {
  readonly vaultId: string;
  readonly outputs: readonly UtxoRef[];
  readonly to: WalletAddress;
  readonly caller: Caller;
}

/**
 * Returns unsolicited outputs of a vault in a transaction that the platform signs, after the cosigners of its custody if it spends from
 * there, and the outputs pay (design D16).
 */
export async function returnUnsolicited(
  context: TransactionContext,
  { networkId }: Pick<ServiceContext, 'networkId'>,
  { vaultId, outputs: refs, to, caller }: ReturnUnsolicited,
  chain: NetworkState,
): Promise<StartedReturn> {
  const { tx } = context;
  const vault = await requireReadableVault(tx, caller, vaultId);
  const outputs = requireReturnable(refs, await lockUnsolicited(tx, vault.id, refs));
  const recorded = await startUnsolicitedReturn(context, { vault, outputs, to: to.address, networkId }, chain);
  const metadata = {
    transactionHash: recorded.transaction.hash,
    to: to.address,
    outputs: outputs.map(({ utxo }) => refText(utxo)),
  };
  await publish(context, {
    audit: { action: 'UNSOLICITED_RETURN_STARTED', resource: { type: 'vault', id: vault.id }, metadata, caller },
  });
  return recorded;
}

/** The outputs in the order of `refs`. */
function requireReturnable(refs: readonly UtxoRef[], found: readonly UnsolicitedOutput[]): UnsolicitedOutput[] {
  const byRef = new Map(found.map((output) => [refText(output.utxo), output]));
  return refs.map((ref, position) => {
    const output = byRef.get(refText(ref));
    const refusal = (code: ErrorCode) =>
      atField(new ServiceError(code, { output: refText(ref) }), `outputs.${position}`);
    if (!output) throw refusal('UNSOLICITED_OUTPUT_NOT_FOUND');
    if (output.status === 'GONE') throw refusal('UNSOLICITED_OUTPUT_GONE');
    if (output.status !== 'PRESENT') throw refusal('UNSOLICITED_OUTPUT_LEAVING');
    return output;
  });
}

/**
 * Returns a deposit that never counted (design D16, D42) to its owner, less the fee: one a scan, so that one that
 * cannot be returned is tried once a scan.
 */
export async function returnDuplicate(
  { unitOfWork, networkState, networkId }: Pick<WorkerContext, 'unitOfWork' | 'networkState' | 'networkId'>,
  vault: Vault,
): Promise<void> {
  const chain = await networkState();
  await unitOfWork(async (context) => {
    const duplicate = await lockDuplicateToReturn(context.tx, vault.id);
    if (duplicate === null) return;
    const { output, owner } = duplicate;
    const { transaction } = await startUnsolicitedReturn(
      context,
      { vault, outputs: [output], to: owner, networkId },
      chain,
    );
    const source = { ...platformEventFields(vault.id), wallets: [owner], transactionHash: transaction.hash };
    const data = { output: refText(output.utxo), to: owner };
    await publish(context, { event: { type: 'DUPLICATE_RETURN_STARTED', ...source, data } });
  });
}

interface GuardedOutput {
  readonly output: UnsolicitedOutput;
  readonly guard: VaultGuard;
}

function guardedOutput(
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
function signingOf(guarded: readonly GuardedOutput[]): ReturnSigning {
  const platform = [...new Set(guarded.map(({ guard }) => guard.keyHash))];
  const [first, ...others] = guarded.filter(({ guard }) => guard.cosigners !== null);
  const cosigners = first?.guard.cosigners ?? null;
  if (first === undefined || cosigners === null)
    return { platform, cosigners: null, signers: platform, enforcedSigners: [] };
  if (others.some(({ output }) => output.utxo.address !== first.output.utxo.address))
    throw fieldError(
      'INVALID_REQUEST',
      'outputs',
      'Outputs of custody addresses with different cosigners must be returned separately.',
    );
  const signers = [...platform, ...cosigners.keyHashes];
  const allSign = cosigners.required === cosigners.keyHashes.length;
  return { platform, cosigners, signers, enforcedSigners: allSign ? signers : platform };
}

interface UnsolicitedReturn {
  readonly vault: Vault;
  readonly outputs: readonly UnsolicitedOutput[];
  /** Address. */
  readonly to: string;
  readonly networkId: NetworkId;
}

type StartedReturn = RecordedTransaction & Pick<SignatureRule, 'signer' | 'cosigners'>;

/**
 * Builds and records the transaction that returns unsolicited outputs, which pay for it, and starts its workflow. The registered cosigners
 * of a custody sign what returns from there.
 */
async function startUnsolicitedReturn(
  context: TransactionContext,
  { vault, outputs, to, networkId }: UnsolicitedReturn,
  chain: NetworkState,
): Promise<StartedReturn> {
  const id = context.ids.next();
  outputs.forEach((output, position) => {
    requireOwner(output, to, `outputs.${position}`);
  });
  const guarded = outputs.map((output, position) => guardedOutput(vault, output, { networkId, position }));
  const deposits = guarded.map(({ output: { utxo }, guard: { script } }): Deposit => ({ utxo, script, owner: to }));
  const signing = signingOf(guarded);
  const signature = platformSignature(signing.platform, signing.cosigners);
  const utxos = deposits.map(({ utxo }) => utxo);
  const lifetime = signing.cosigners ? { seconds: COSIGNING_SECONDS } : undefined;
  const recorded = await buildAndRecord(
    context,
    {
      id,
      kind: 'return_unsolicited',
      vaultId: vault.id,
      ownerWorkflow: transactionWorkflowId(id),
      wallet: null,
      ...signature,
    },
    {
      address: vault.contractAddress,
      utxos,
      deadline: deadlineBefore(null, context.now, chain.anchor, lifetime),
      anchor: chain.anchor,
    },
    (free, ttlSlot) => {
      if (free.length < utxos.length) throw new ServiceError('UNSOLICITED_OUTPUT_HELD');
      const { taken, transaction } = buildDepositReturn(chain, { deposits, ...signing, ttlSlot });
      if (taken === deposits.length) return transaction;
      const message = `One transaction can return at most the first ${taken} of these. Request the others separately.`;
      throw fieldError('INVALID_REQUEST', 'outputs', message);
    },
  );
  await setReturning(context.tx, utxos, id);
  await startTransactionWorkflow(context, { id, vaultId: vault.id });
  return { ...recorded, ...signature };
}

/** Nothing on the ledger tells a gift at an owner's deposit address from a deposit: the worker signs its return to that owner only. */
function requireOwner({ utxo, depositor }: UnsolicitedOutput, to: string, field: string): void {
  if (depositor === null || paymentKeyHashOf(depositor) === paymentKeyHashOf(to)) return;
  throw atField(new ServiceError('UNSOLICITED_OUTPUT_OF_OWNER', { output: refText(utxo), owner: depositor }), field);
}
