import { z } from 'zod';
import { route } from '../../api-context.ts';
import type { Balance, BoundedBalance, Movement } from '../rules/books.ts';
import { remainReasons } from '../rules/remains.ts';
import { type Statement, readVaultStatement, listRemains, type Remain } from '../statements.ts';
import { VaultPlaceEnum } from '../../ledger-follower/unsolicited/routes.ts';
import { enumSchema, AmountText, Timestamp, ResourceId, CaseInsensitive } from '../../platform/http/fields.ts';
import {
  Enveloped,
  enveloped,
  EnvelopedPage,
  envelopedPage,
  pageOf,
  pageQuery,
  paginationOf,
} from '../../platform/http/envelope.ts';
import { ok } from '../../platform/http/route.ts';
import { isoText } from '../../platform/units/time.ts';
import { vaultAddressKinds } from '../../vaults/rules/vault.ts';
import { vaultAttributes } from '../../vaults/require-vault.ts';

/** Lovelace and assets together, both exact. */
const BalanceFields = {
  lovelace: AmountText.describe('Lovelace'),
  assets: z.array(
    z.object({
      unit: z.string().describe('Policy id and asset name, in hex'),
      quantity: AmountText.describe('Base units'),
    }),
  ),
};

function presentBalance({ lovelace, assets }: Balance) {
  const held = [...assets].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return {
    lovelace: lovelace.toString(),
    assets: held.map(([unit, quantity]) => ({ unit, quantity: quantity.toString() })),
  };
}

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
const StatementResource = z
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
const keyOf = (cursor: string): string => Buffer.from(cursor, 'base64url').toString();

function presentStatement(
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

const MAX_MOVEMENTS = 1000;
/** Time of the block, time when it was built, hash, direction, address (src/books/queries/statements.ts). */
const movementKey = /^\d{20}\/\d{20}\/[0-9a-f]*\/(in|out)\/\w+$/;

const readStatementRoute = route({
  method: 'get',
  path: '/vaults/:vaultId/statement',
  operationId: 'readStatement',
  kind: 'report',
  summary: 'Read what came to and left the addresses of a vault',
  description:
    'Every movement of a transaction that is on the ledger at present: of the platform, of wallets, what owners took back without ' +
    'the platform, and unsolicited outputs. The opening balance of a page is the closing balance of the one before.',
  success: 'A page of the statement',
  permission: { resource: 'vault', action: 'READ', attributes: vaultAttributes },
  params: z.strictObject({ vaultId: ResourceId }),
  query: z.strictObject({
    after: z
      .string()
      .max(600)
      .refine((cursor) => movementKey.test(keyOf(cursor)), 'This is not a `next` value of this statement.')
      .describe('`next` of the page before')
      .optional(),
    limit: z.coerce.number().int().min(1).max(MAX_MOVEMENTS).describe('Number of movements on a page').default(100),
  }),
  responses: { 200: Enveloped(StatementResource) },
  errors: ['VAULT_NOT_FOUND'],
  async handle({ params: { vaultId }, query: { after, limit }, caller }, api) {
    const part = { vaultId, after: after === undefined ? undefined : keyOf(after), limit };
    const statement = await readVaultStatement({ ...api, db: api.books }, caller, part);
    return ok(enveloped(presentStatement(vaultId, statement), await api.readingTime()));
  },
});

const RemainReasonEnum = enumSchema('RemainReason', remainReasons, {
  unsolicited: 'no transaction of the vault made it, or it brought an NFT that was in the vault already',
  deposit: 'an asset or an investment before the settlement; its owner can take it back alone from `settlesBy` on',
  stake: 'staked tokens; their owner can always get them back',
  in_settlement: 'tokens and ADA that the settlement is paying out',
  liquidity_share: 'the liquidity share of the settlement',
  vault_token: 'the NFT that identifies the vault; nothing can burn it, because its policy has ended',
  reference_token: 'the token whose datum describes the vault token (CIP-68); nothing can burn it',
  asset_without_recipient: 'an asset for which nobody was named when the vault ended',
  in_custody: 'assets and ADA of the vault',
  kept_share: 'what the settlement would have paid for deposits that their owners took back alone',
  redeemed_tokens: 'vault tokens that no longer circulate; nothing can burn them',
  pot: 'what holders can claim, with the tokens that were returned for it; also after the end if nobody is named for the rest',
  unclaimed_lovelace: 'ADA that nobody has claimed, and for which nobody was named',
});

/** An output that the ledger holds at an address of a vault. */
const RemainResource = z
  .object({
    transactionHash: z.string().describe('Hash of the transaction that made the output'),
    index: z.int().describe('Index of the output in that transaction, from 0'),
    address: z.string().describe('The address that holds the output'),
    place: VaultPlaceEnum,
    reason: RemainReasonEnum.describe('Why the ledger still holds it'),
    heldSince: Timestamp.describe('Time of its block; of an unsolicited output, when it was found'),
    ...BalanceFields,
  })
  .meta({ id: 'Remain' });

const listRemainsRoute = route({
  method: 'get',
  path: '/vaults/:vaultId/remains',
  operationId: 'listRemains',
  kind: 'report',
  summary: 'List what the ledger holds at the addresses of a vault, and why',
  description: 'For a vault in any state. When a vault has ended, it names everything that is left.',
  success: 'A page of unspent outputs',
  permission: { resource: 'vault', action: 'READ', attributes: vaultAttributes },
  params: z.strictObject({ vaultId: ResourceId }),
  query: z.strictObject({
    ...pageQuery(['heldSince', 'lovelace']),
    place: CaseInsensitive(vaultAddressKinds).optional(),
  }),
  responses: { 200: EnvelopedPage(z.object({ remains: z.array(RemainResource) })) },
  errors: ['VAULT_NOT_FOUND'],
  async handle({ params: { vaultId }, query, caller }, api) {
    const page = pageOf(query, 'heldSince:asc');
    const filter = { vaultId, place: query.place };
    const { remains, count } = await listRemains({ ...api, db: api.books }, caller, filter, page);
    const data = { remains: remains.map(presentRemain) };
    return ok(envelopedPage(data, paginationOf(query, count), await api.readingTime()));
  },
});

function presentRemain({ utxo, place, reason, heldSince }: Remain): z.input<typeof RemainResource> {
  const { txHash: transactionHash, index, address } = utxo;
  return { transactionHash, index, address, place, reason, heldSince: isoText(heldSince), ...presentBalance(utxo) };
}

/** What the books of the vaults say. */
export const bookRoutes = [readStatementRoute, listRemainsRoute];
