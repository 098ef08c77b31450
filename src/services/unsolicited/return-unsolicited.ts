import type { Caller } from '../../domain/identity/caller.ts';
import type { WalletAddress } from '../../chain/scripts/address.ts';
import { buildReturn } from '../../chain/build/return.ts';
import type { NetworkState } from '../../chain/ledger/network-state.ts';
import type { Deposit } from '../../chain/build/deposits.ts';
import { singleKeyScript } from '../../chain/scripts/vault-addresses.ts';
import { fieldError, ServiceError } from '../../domain/errors.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { lockUnsolicited, setReturning, type UnsolicitedOutput } from '../../store/unsolicited.ts';
import type { Vault } from '../../store/vaults.ts';
import { enqueueWorkflowMessage } from '../../store/workflow-outbox.ts';
import { transactionWorkflowId } from '../../temporal/workflow-ids.ts';
import type { ServiceContext } from '../context.ts';
import { requireReadableVault } from '../vaults/vault-access.ts';
import { publish } from '../publish.ts';
import { deadlineBefore } from '../transactions/deadline.ts';
import { type RecordedTransaction, buildAndRecord } from '../transactions/record-transaction.ts';
import { type UtxoRef, refText } from '../../domain/transaction/utxo-ref.ts';

interface Returning {
  readonly vaultId: string;
  readonly outputs: readonly UtxoRef[];
  readonly to: WalletAddress;
  readonly caller: Caller;
}

/**
 * Returns what was sent to a vault unasked, by a transaction that the platform signs and that what is returned pays (design
 * D16). Raises VAULT_NOT_FOUND, the codes that begin with UNSOLICITED_OUTPUT, INVALID_REQUEST when it is too much for one
 * transaction, and INSUFFICIENT_FUNDS.
 */
export async function returnUnsolicited(
  work: TransactionContext,
  context: ServiceContext,
  { vaultId, outputs: asked, to, caller }: Returning,
  facts: () => NetworkState,
): Promise<RecordedTransaction> {
  const { tx, now } = work;
  const { ids } = context;
  const vault = await requireReadableVault({ db: tx }, caller, vaultId);
  const outputs = requireAll(asked, await lockUnsolicited(tx, vault.id, asked));
  const deposits = outputs.map((output) => depositOf(vault, output, to, context));

  const chain = facts();
  const id = ids.next();
  const ownerWorkflow = transactionWorkflowId(id);
  const record = {
    id,
    kind: 'return_unsolicited',
    vaultId: vault.id,
    ownerWorkflow,
    signer: 'platform',
    wallet: null,
  } as const;
  const utxos = outputs.map(({ utxo }) => utxo);
  const deadline = deadlineBefore(null, now, chain.anchor);
  const purse = { address: vault.contractAddress, utxos, deadline, anchor: chain.anchor };
  const recorded = await buildAndRecord(work, record, purse, (free, ttlSlot) => {
    if (free.length < utxos.length) throw new ServiceError('UNSOLICITED_OUTPUT_HELD');
    const { taken, transaction } = buildReturn(chain, { deposits, vaultKeyHash: vault.vaultKeyHash, ttlSlot });
    if (taken === deposits.length) return transaction;
    throw fieldError(
      'INVALID_REQUEST',
      'outputs',
      `One transaction can return no more than the first ${taken} of these`,
    );
  });

  await setReturning(tx, utxos, id);
  const start = { kind: 'start', workflow: 'transaction', transactionId: id, vaultId: vault.id } as const;
  await enqueueWorkflowMessage({ tx, ids }, ownerWorkflow, start);
  const metadata = { transactionHash: recorded.transaction.hash, to: to.address, outputs: utxos.map(refText) };
  const deed = { action: 'UNSOLICITED_RETURN_STARTED', resource: { type: 'vault', id: vault.id }, caller } as const;
  await publish({ tx, ids, now }, { audit: { ...deed, metadata } });
  return recorded;
}

/** In the order they were asked for. */
function requireAll(asked: readonly UtxoRef[], found: readonly UnsolicitedOutput[]): UnsolicitedOutput[] {
  const byRef = new Map(found.map((output) => [refText(output.utxo), output]));
  return asked.map((ref) => {
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
  { networkId }: ServiceContext,
): Deposit {
  const script = singleKeyScript(vault, { kind: place, depositor }, networkId);
  if (script) return { utxo, script, owner: to.address };
  throw new ServiceError('UNSOLICITED_OUTPUT_NEEDS_OTHERS', { output: refText(utxo), place });
}
