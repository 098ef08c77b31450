import { z } from 'zod';
import { loneScript, vaultPlaceKinds } from '../chain/vault-places.ts';
import type { NetworkId } from '../chain/transaction.ts';
import { isoText } from '../domain/instant.ts';
import { unsolicitedStatuses } from '../store/unsolicited.ts';
import type { ListedOutput } from '../store/unsolicited-listing.ts';
import type { Vault } from '../store/vaults.ts';
import { AmountText, Timestamp } from './fields.ts';

/** Something at an address of a vault that the platform never asked for. */
export const UnsolicitedResource = z
  .object({
    txHash: z.string(),
    index: z.int(),
    address: z.string(),
    place: z.enum(vaultPlaceKinds),
    /** Whose deposit address it lies at. */
    depositor: z.string().nullable(),
    lovelace: AmountText,
    assets: z.array(z.object({ unit: z.string(), quantity: AmountText })),
    status: z.enum(unsolicitedStatuses),
    /** Whether the platform can return it now, alone. */
    returnable: z.boolean(),
    seenAt: Timestamp,
    goneAt: Timestamp.nullable(),
    returnTransactionHash: z.string().nullable(),
    returnedAt: Timestamp.nullable(),
  })
  .meta({ id: 'UnsolicitedOutput' });

export function presentUnsolicited(
  output: ListedOutput,
  vault: Vault,
  networkId: NetworkId,
): z.infer<typeof UnsolicitedResource> {
  const { utxo, place, depositor, status, seenAt, goneAt, returnHash, returnedAt } = output;
  return {
    txHash: utxo.txHash,
    index: utxo.index,
    address: utxo.address,
    place,
    depositor,
    lovelace: utxo.lovelace.toString(),
    assets: [...utxo.assets].map(([unit, quantity]) => ({ unit, quantity: quantity.toString() })),
    status,
    returnable: status === 'PRESENT' && loneScript(vault, { kind: place, depositor }, networkId) !== null,
    seenAt: isoText(seenAt),
    goneAt: goneAt === null ? null : isoText(goneAt),
    returnTransactionHash: returnHash,
    returnedAt: returnedAt === null ? null : isoText(returnedAt),
  };
}
