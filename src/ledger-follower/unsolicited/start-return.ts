import { buildDepositReturn } from '../../cardano/build/deposit-return.ts';
import type { Deposit } from '../../cardano/build/deposits.ts';
import { COSIGNING_SECONDS, deadlineBefore } from '../../cardano/ledger/deadline.ts';
import type { NetworkState } from '../../cardano/ledger/network-state.ts';
import { paymentKeyHashOf } from '../../cardano/scripts/address.ts';
import type { NetworkId } from '../../cardano/transaction.ts';
import { atField, fieldError, ServiceError } from '../../platform/errors/errors.ts';
import { platformSignature, type SignatureRule } from '../../transactions/rules/signatures.ts';
import { refText } from '../../transactions/rules/utxo-ref.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';
import { setReturning, type UnsolicitedOutput } from '../queries/unsolicited.ts';
import type { Vault } from '../../vaults/queries/vaults.ts';
import { transactionWorkflowId } from '../../platform/temporal/workflow-ids.ts';
import { type RecordedTransaction, buildAndRecord } from '../../transactions/record-transaction.ts';
import { startTransactionWorkflow } from '../../transactions/start-transaction-workflow.ts';
import { guardedOutput, signingOf } from './return-signing.ts';

interface UnsolicitedReturn {
  readonly vault: Vault;
  readonly outputs: readonly UnsolicitedOutput[];
  /** Address. */
  readonly to: string;
  readonly networkId: NetworkId;
}

/** A transaction that returns unsolicited outputs, and who signs it. */
export type StartedReturn = RecordedTransaction & Pick<SignatureRule, 'signer' | 'cosigners'>;

/**
 * Builds and records the transaction that returns unsolicited outputs, which pay for it, and starts its workflow. The registered cosigners
 * of a custody sign what returns from there. Throws UNSOLICITED_OUTPUT_NEEDS_OTHERS, UNSOLICITED_OUTPUT_OF_OWNER, UNSOLICITED_OUTPUT_HELD,
 * INVALID_REQUEST when they do not fit into one transaction, or custodies of different cosigners hold them, and INSUFFICIENT_FUNDS.
 */
export async function startUnsolicitedReturn(
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
      const message = `One transaction can return no more than the first ${taken} of these`;
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
