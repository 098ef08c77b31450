import { decodeTransaction } from '../../justification/decode-transaction.ts';
import { equalAssets } from '../../justification/flows.ts';
import type { ChainTransaction } from '../../store/chain-transactions.ts';
import { UnreadableRow } from '../../store/found-row.ts';

/**
 * Throws UnreadableRow unless a transaction has the bytes and outputs of its hash. Postgres cannot compute hashes, so that whoever writes a
 * row can give it that of any transaction on the ledger.
 */
export function requireOwnBytes({ id, hash, unsignedCbor, outputs }: ChainTransaction): void {
  const landed = decodeTransaction(unsignedCbor);
  const areItsOutputs =
    landed.outputs.length === outputs.length &&
    landed.outputs.every(({ address, lovelace, assets }, index) => {
      const stored = outputs[index];
      const isAtIndex = stored?.txHash === hash && stored.index === index && stored.address === address;
      return isAtIndex && stored.lovelace === lovelace && equalAssets(stored.assets, assets);
    });
  if (landed.hash === hash && areItsOutputs) return;
  throw new UnreadableRow('chain_transactions', id, 'its bytes are of another transaction');
}
