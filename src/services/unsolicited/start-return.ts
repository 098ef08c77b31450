import { buildDepositReturn } from '../../chain/build/deposit-return.ts';
import type { Deposit } from '../../chain/build/deposits.ts';
import { deadlineBefore } from '../../chain/ledger/deadline.ts';
import type { NetworkState } from '../../chain/ledger/network-state.ts';
import { paymentKeyHashOf } from '../../chain/scripts/address.ts';
import type { SingleKeyGuard } from '../../chain/scripts/own-guards.ts';
import { singleKeyGuard } from '../../chain/scripts/vault-addresses.ts';
import type { NetworkId } from '../../chain/transaction.ts';
import { atField, fieldError, ServiceError } from '../../domain/errors.ts';
import { refText } from '../../domain/transaction/utxo-ref.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { setReturning, type UnsolicitedOutput } from '../../store/unsolicited.ts';
import type { Vault } from '../../store/vaults.ts';
import { transactionWorkflowId } from '../../temporal/workflow-ids.ts';
import { type RecordedTransaction, buildAndRecord } from '../transactions/record-transaction.ts';
import { startTransactionWorkflow } from '../transactions/start-transaction-workflow.ts';

interface UnsolicitedReturn {
  readonly vault: Vault;
  readonly outputs: readonly UnsolicitedOutput[];
  /** Address. */
  readonly to: string;
  readonly networkId: NetworkId;
}

/**
 * Builds and records the transaction that returns unsolicited outputs, which pay for it, and starts its workflow. Throws
 * UNSOLICITED_OUTPUT_NEEDS_OTHERS, UNSOLICITED_OUTPUT_OF_OWNER, UNSOLICITED_OUTPUT_HELD, INVALID_REQUEST when they do not fit into one transaction, and
 * INSUFFICIENT_FUNDS.
 */
export async function startUnsolicitedReturn(
  context: TransactionContext,
  { vault, outputs, to, networkId }: UnsolicitedReturn,
  chain: NetworkState,
): Promise<RecordedTransaction> {
  const id = context.ids.next();
  const guarded = outputs.map((output, position) => {
    requireOwner(output, to, `outputs.${position}`);
    const guard = guardOf(vault, output, networkId);
    if (guard) return { output, guard };
    const details = { output: refText(output.utxo), place: output.place };
    throw atField(new ServiceError('UNSOLICITED_OUTPUT_NEEDS_OTHERS', details), `outputs.${position}`);
  });
  const deposits = guarded.map(({ output: { utxo }, guard: { script } }): Deposit => ({ utxo, script, owner: to }));
  const signers = [...new Set(guarded.map(({ guard }) => guard.keyHash))];
  const utxos = deposits.map(({ utxo }) => utxo);
  const recorded = await buildAndRecord(
    context,
    {
      id,
      kind: 'return_unsolicited',
      vaultId: vault.id,
      ownerWorkflow: transactionWorkflowId(id),
      signer: 'platform',
      wallet: null,
    },
    {
      address: vault.contractAddress,
      utxos,
      deadline: deadlineBefore(null, context.now, chain.anchor),
      anchor: chain.anchor,
    },
    (free, ttlSlot) => {
      if (free.length < utxos.length) throw new ServiceError('UNSOLICITED_OUTPUT_HELD');
      const { taken, transaction } = buildDepositReturn(chain, { deposits, signers, ttlSlot });
      if (taken === deposits.length) return transaction;
      const message = `One transaction can return no more than the first ${taken} of these`;
      throw fieldError('INVALID_REQUEST', 'outputs', message);
    },
  );
  await setReturning(context.tx, utxos, id);
  await startTransactionWorkflow(context, { id, vaultId: vault.id });
  return recorded;
}

/** Nothing on the ledger tells a gift at an owner's deposit address from a deposit: the worker signs its return to that owner only. */
function requireOwner({ utxo, depositor }: UnsolicitedOutput, to: string, field: string): void {
  if (depositor === null || paymentKeyHashOf(depositor) === paymentKeyHashOf(to)) return;
  throw atField(new ServiceError('UNSOLICITED_OUTPUT_OF_OWNER', { output: refText(utxo), owner: depositor }), field);
}

/** What guards the output; null when the platform's signature alone does not spend it. */
function guardOf(
  vault: Vault,
  { utxo: { address }, place: kind, depositor }: UnsolicitedOutput,
  networkId: NetworkId,
): SingleKeyGuard | null {
  return singleKeyGuard(vault, { kind, address, depositor }, networkId);
}
