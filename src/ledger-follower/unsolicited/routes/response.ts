import { z } from 'zod';
import { vaultAddressKinds } from '../../../vaults/rules/vault-address.ts';
import { isoText } from '../../../platform/units/instant.ts';
import type { UnsolicitedView } from '../list-unsolicited.ts';
import { unsolicitedStatuses } from '../../queries/unsolicited.ts';
import { enumSchema } from '../../../platform/http/enums.ts';
import { AmountText, Timestamp } from '../../../platform/http/fields.ts';

export const VaultPlaceEnum = enumSchema('VaultPlace', vaultAddressKinds, {
  custody: '`contractAddress` of the vault',
  settlement: 'the address that collects the investments during the settlement',
  liquidity: 'the address of the liquidity share',
  claims: 'the address of the pot that holders claim from',
  deposit: 'the address where deposits of `depositor` wait for the settlement',
  stake: 'the stake script of a token holder',
});

const UnsolicitedStatusEnum = enumSchema('UnsolicitedStatus', unsolicitedStatuses, {
  PRESENT: 'at the address',
  RETURNING: 'being returned by `returnTransactionHash`',
  RETURNED: 'returned',
  GONE: 'spent by a transaction that is not from the platform',
});

/** An output at an address of a vault that belongs to no deposit or other transaction of the platform. */
export const UnsolicitedResource = z
  .object({
    txHash: z.string().describe('Hash of the transaction that made the output'),
    index: z.int().describe('Index of the output in that transaction, from 0'),
    address: z.string().describe('The address that holds the output'),
    place: VaultPlaceEnum,
    depositor: z.string().nullable().describe('Wallet address; `null` unless `place` is deposit'),
    lovelace: AmountText.describe('Lovelace in the output'),
    assets: z.array(
      z.object({
        unit: z.string().describe('Policy id and asset name, in hex'),
        quantity: AmountText.describe('Base units'),
      }),
    ),
    status: UnsolicitedStatusEnum,
    returnable: z
      .boolean()
      .describe('Whether the output can be returned now; from custody with the registered cosigners of the vault'),
    seenAt: Timestamp.describe('When a scan first found the output'),
    goneAt: Timestamp.nullable().describe('When a scan found the output spent; `null` before'),
    returnTransactionHash: z.string().nullable().describe('`null` unless `status` is RETURNING or RETURNED'),
    returnedAt: Timestamp.nullable().describe(
      'When the transaction that returns the output was found in a block; `null` before',
    ),
  })
  .meta({ id: 'UnsolicitedOutput' });

export function presentUnsolicited(output: UnsolicitedView): z.infer<typeof UnsolicitedResource> {
  const { utxo, place, depositor, status, returnable, seenAt, goneAt, returnHash, returnedAt } = output;
  return {
    txHash: utxo.txHash,
    index: utxo.index,
    address: utxo.address,
    place,
    depositor,
    lovelace: utxo.lovelace.toString(),
    assets: [...utxo.assets].map(([unit, quantity]) => ({ unit, quantity: quantity.toString() })),
    status,
    returnable,
    seenAt: isoText(seenAt),
    goneAt: goneAt === null ? null : isoText(goneAt),
    returnTransactionHash: returnHash,
    returnedAt: returnedAt === null ? null : isoText(returnedAt),
  };
}
