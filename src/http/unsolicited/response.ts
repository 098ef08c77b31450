import { z } from 'zod';
import { singleKeyScript } from '../../chain/scripts/vault-addresses.ts';
import { vaultAddressKinds } from '../../domain/vault/vault-address.ts';
import type { NetworkId } from '../../chain/transaction.ts';
import { isoText } from '../../domain/units/instant.ts';
import { unsolicitedStatuses } from '../../store/unsolicited.ts';
import type { ListedOutput } from '../../store/vault-unsolicited.ts';
import type { Vault } from '../../store/vaults.ts';
import { enumSchema } from '../server/enums.ts';
import { AmountText, Timestamp } from '../server/fields.ts';

const places = {
  custody: '`contractAddress` of the vault',
  settlement: 'where investments gather while the vault settles',
  liquidity: 'where the liquidity share lies',
  deposit: "where `depositor`'s deposits wait for the settlement",
  stake: 'the stake script of a holder',
};

const statuses = {
  PRESENT: 'lies there',
  RETURNING: 'is on its way back, by `returnTransactionHash`',
  RETURNED: 'is back',
  GONE: 'was spent by somebody else',
};

/** Something at an address of a vault that the platform never asked for. */
export const UnsolicitedResource = z
  .object({
    txHash: z.string().describe('With `index` it names the output'),
    index: z.int().describe('Which output of the transaction it is, from 0'),
    address: z.string().describe('Where it lies'),
    place: enumSchema('VaultPlace', vaultAddressKinds, places),
    depositor: z.string().nullable().describe('Null unless `place` is deposit'),
    lovelace: AmountText.describe('Lovelace it holds'),
    assets: z.array(
      z.object({
        unit: z.string().describe('Policy id and name, in hex'),
        quantity: AmountText.describe('Base units'),
      }),
    ),
    status: enumSchema('UnsolicitedStatus', unsolicitedStatuses, statuses),
    returnable: z.boolean().describe('Whether the platform can return it now, alone'),
    seenAt: Timestamp.describe('When the service first looked and found it'),
    goneAt: Timestamp.nullable().describe('When the service looked and found it spent; null while it is not'),
    returnTransactionHash: z.string().nullable().describe('Null unless it is RETURNING or RETURNED'),
    returnedAt: Timestamp.nullable().describe('When the transaction that returns it was found in a block; else null'),
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
    returnable: status === 'PRESENT' && singleKeyScript(vault, { kind: place, depositor }, networkId) !== null,
    seenAt: isoText(seenAt),
    goneAt: goneAt === null ? null : isoText(goneAt),
    returnTransactionHash: returnHash,
    returnedAt: returnedAt === null ? null : isoText(returnedAt),
  };
}
