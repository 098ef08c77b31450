import type { Caller } from '../../domain/identity/caller.ts';
import type { WalletAddress } from '../../chain/scripts/address.ts';
import { buildDepositReturn } from '../../chain/build/deposit-return.ts';
import type { NetworkState } from '../../chain/ledger/network-state.ts';
import type { NetworkId } from '../../chain/transaction.ts';
import type { Deposit } from '../../chain/build/deposits.ts';
import { singleKeyScript } from '../../chain/scripts/vault-addresses.ts';
import { fieldError, ServiceError } from '../../domain/errors.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { lockUnsolicited, setReturning, type UnsolicitedOutput } from '../../store/unsolicited.ts';
import type { Vault } from '../../store/vaults.ts';
import { transactionWorkflowId } from '../../temporal/workflow-ids.ts';
import type { ServiceContext } from '../context.ts';
import { requireReadableVault } from '../vaults/vault-access.ts';
import { publish } from '../publish.ts';
import { startTransactionWorkflow } from '../transactions/start-transaction-workflow.ts';
import { deadlineBefore } from '../../chain/ledger/deadline.ts';
import { type RecordedTransaction, buildAndRecord } from '../transactions/record-transaction.ts';
import { type UtxoRef, refText } from '../../domain/transaction/utxo-ref.ts';

interface ReturnUnsolicited {
  readonly vaultId: string;
  readonly outputs: readonly UtxoRef[];
  readonly to: WalletAddress;
  readonly caller: Caller;
}

/**
 * Returns unsolicited outputs of a vault in a transaction that the platform signs and the outputs pay (design D16). Throws
 * VAULT_NOT_FOUND, the codes that begin with UNSOLICITED_OUTPUT, INVALID_REQUEST when the outputs do not fit into one
 * transaction, INSUFFICIENT_FUNDS, and what `networkState` throws.
 */
export async function returnUnsolicited(
  context: TransactionContext,
  { networkId }: Pick<ServiceContext, 'networkId'>,
  { vaultId, outputs: refs, to, caller }: ReturnUnsolicited,
  networkState: () => NetworkState,
): Promise<RecordedTransaction> {
  const { tx, ids } = context;
  const vault = await requireReadableVault({ db: tx }, caller, vaultId);
  const outputs = requireReturnable(refs, await lockUnsolicited(tx, vault.id, refs));
  const deposits = outputs.map((output) => depositOf(vault, output, to, networkId));

  const id = ids.next();
  const recorded = await recordReturn(context, { id, vault, deposits }, networkState());
  const utxos = deposits.map(({ utxo }) => utxo);
  await setReturning(tx, utxos, id);
  await startTransactionWorkflow(context, { id, vaultId: vault.id });
  const metadata = { transactionHash: recorded.transaction.hash, to: to.address, outputs: utxos.map(refText) };
  await publish(context, {
    audit: { action: 'UNSOLICITED_RETURN_STARTED', resource: { type: 'vault', id: vault.id }, metadata, caller },
  });
  return recorded;
}

interface Return {
  readonly id: string;
  readonly vault: Vault;
  readonly deposits: readonly Deposit[];
}

async function recordReturn(
  context: TransactionContext,
  { id, vault, deposits }: Return,
  chain: NetworkState,
): Promise<RecordedTransaction> {
  const { contractAddress: address, vaultKeyHash } = vault;
  const utxos = deposits.map(({ utxo }) => utxo);
  const deadline = deadlineBefore(null, context.now, chain.anchor);
  return buildAndRecord(
    context,
    {
      id,
      kind: 'return_unsolicited',
      vaultId: vault.id,
      ownerWorkflow: transactionWorkflowId(id),
      signer: 'platform',
      wallet: null,
    },
    { address, utxos, deadline, anchor: chain.anchor },
    (free, ttlSlot) => {
      if (free.length < utxos.length) throw new ServiceError('UNSOLICITED_OUTPUT_HELD');
      const { taken, transaction } = buildDepositReturn(chain, { deposits, vaultKeyHash, ttlSlot });
      if (taken === deposits.length) return transaction;
      const message = `One transaction can return no more than the first ${taken} of these`;
      throw fieldError('INVALID_REQUEST', 'outputs', message);
    },
  );
}

/** The outputs in the order of `refs`. Throws UNSOLICITED_OUTPUT_NOT_FOUND, _GONE and _LEAVING. */
function requireReturnable(refs: readonly UtxoRef[], found: readonly UnsolicitedOutput[]): UnsolicitedOutput[] {
  const byRef = new Map(found.map((output) => [refText(output.utxo), output]));
  return refs.map((ref) => {
    const output = byRef.get(refText(ref));
    const details = { output: refText(ref) };
    if (!output) throw new ServiceError('UNSOLICITED_OUTPUT_NOT_FOUND', details);
    if (output.status === 'GONE') throw new ServiceError('UNSOLICITED_OUTPUT_GONE', details);
    if (output.status !== 'PRESENT') throw new ServiceError('UNSOLICITED_OUTPUT_LEAVING', details);
    return output;
  });
}

function depositOf(
  vault: Vault,
  { utxo, place, depositor }: UnsolicitedOutput,
  to: WalletAddress,
  networkId: NetworkId,
): Deposit {
  const script = singleKeyScript(vault, { kind: place, depositor }, networkId);
  if (script) return { utxo, script, owner: to.address };
  throw new ServiceError('UNSOLICITED_OUTPUT_NEEDS_OTHERS', { output: refText(utxo), place });
}
