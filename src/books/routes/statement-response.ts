import { z } from 'zod';
import { isoText } from '../../platform/units/instant.ts';
import type { BoundedBalance, Movement } from '../rules/statement.ts';
import type { Statement } from '../read-statement.ts';
import { Timestamp } from '../../platform/http/fields.ts';
import { VaultPlaceEnum } from '../../ledger-follower/unsolicited/routes/response.ts';
import { BalanceFields, presentBalance } from './response.ts';

/** What one transaction put to, or took from, one address. */
const MovementResource = z
  .object({
    at: Timestamp.describe(
      'Time of the block; of an output that the platform did not make or spend, when it was found',
    ),
    transactionHash: z
      .string()
      .nullable()
      .describe('`null` if the service does not know which transaction of others spent an output'),
    direction: z.enum(['in', 'out']).describe('Whether the address received it or spent it'),
    address: z.string(),
    place: VaultPlaceEnum,
    ...BalanceFields,
  })
  .meta({ id: 'Movement' });

const Held = z.object({
  ...BalanceFields,
  unlistedUnits: z
    .int()
    .describe(
      'How many units are not in `assets`: it has all tokens of the vault and all assets that it ever had, and 100 other units, ' +
        'which anybody can send',
    ),
});

/** What came to and left the addresses of a vault. */
export const StatementResource = z
  .object({
    vaultId: z.uuid(),
    asOf: z
      .object({
        blockHeight: z.int().describe('Height of the block'),
        blockHash: z.string(),
        at: Timestamp.describe('Time of the block'),
      })
      .nullable()
      .describe('The last block that the service has followed; `null` before the first'),
    addresses: z
      .array(z.object({ place: VaultPlaceEnum, address: z.string() }))
      .describe('The addresses of the vault itself; those of deposits and stakes are in the movements'),
    opening: Held.describe('What the addresses held before the first movement of the page'),
    movements: z.array(MovementResource).describe('Oldest first; what was rolled back is not among them'),
    closing: Held.describe('After the last movement of the page; on the last page, what the addresses hold now'),
    next: z.string().nullable().describe('`after` of the next page; `null` on the last page'),
  })
  .meta({ id: 'VaultStatement' });

/** Makes a key of movements a cursor, and back. */
const cursorOf = (key: string): string => Buffer.from(key).toString('base64url');
export const keyOf = (cursor: string): string => Buffer.from(cursor, 'base64url').toString();

export function presentStatement(
  vaultId: string,
  { own, asOf, opening, movements, closing, next }: Statement,
): z.input<typeof StatementResource> {
  return {
    vaultId,
    asOf: asOf && { blockHeight: asOf.height, blockHash: asOf.hash, at: isoText(asOf.time) },
    addresses: own.map(({ kind: place, address }) => ({ place, address })),
    opening: presentHeld(opening),
    movements: movements.map(presentMovement),
    closing: presentHeld(closing),
    next: next === null ? null : cursorOf(next),
  };
}

function presentHeld(balance: BoundedBalance): z.input<typeof Held> {
  return { ...presentBalance(balance), unlistedUnits: balance.unlistedUnits };
}

function presentMovement({ at, transactionHash, direction, address, place, ...moved }: Movement) {
  return { at: isoText(at), transactionHash, direction, address, place, ...presentBalance(moved) };
}
