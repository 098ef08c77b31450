import { z } from 'zod';
import { route } from '../../api-context.ts';
import type { Balance, BoundedBalance, Movement } from '../rules/books.ts';
import { residualReasons } from '../rules/residual-outputs.ts';
import { type Statement, readVaultStatement, listResidualOutputs, type ResidualOutput } from '../statements.ts';
import { VaultAddressKindEnum } from '../../ledger-follower/unsolicited/routes.ts';
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
      unit: z.string().describe('Policy ID and asset name, in hex.'),
      quantity: AmountText.describe('Base units.'),
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
      'Time of the block. For an output that the platform did not make or spend: the time at which it was found.',
    ),
    transactionHash: z
      .string()
      .nullable()
      .describe('`null` if an unknown transaction of another sender spent the output.'),
    direction: z.enum(['in', 'out']).describe('`in`: received by the address. `out`: spent from it.'),
    address: z.string(),
    place: VaultAddressKindEnum,
    ...BalanceFields,
  })
  .meta({ id: 'Movement' });

const Held = z.object({
  ...BalanceFields,
  unlistedUnits: z
    .int()
    .describe(
      'Number of units that `assets` omits. `assets` contains all tokens and assets of the vault, and 100 other ' +
        'units, because anybody can send units to the address.',
    ),
});

/** What came to and left the addresses of a vault. */
const StatementResource = z
  .object({
    vaultId: z.uuid(),
    asOf: z
      .object({
        blockHeight: z.int().describe('Height of the block.'),
        blockHash: z.string(),
        at: Timestamp.describe('Time of the block.'),
      })
      .nullable()
      .describe('Last block that the service has read. `null` before the first.'),
    addresses: z
      .array(z.object({ place: VaultAddressKindEnum, address: z.string() }))
      .describe('Addresses of the vault itself. The movements contain those of deposits and stakes.'),
    opening: Held.describe('Balance before the first movement of the page.'),
    movements: z
      .array(MovementResource)
      .describe('Movements, oldest first. Rolled-back transactions are not included.'),
    closing: Held.describe('Balance after the last movement of the page. On the last page: the current balance.'),
    next: z.string().nullable().describe('`after` of the next page. `null` on the last page.'),
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
  summary: 'Get the statement of a vault',
  description:
    'Lists every movement of a transaction that is on the ledger. This includes transactions of the platform and ' +
    'of wallets, deposits that owners took back without the platform, and unsolicited outputs.\n\n' +
    'The opening balance of a page is the closing balance of the previous page.',
  success: 'A page of the statement',
  permission: { resource: 'vault', action: 'READ', attributes: vaultAttributes },
  params: z.strictObject({ vaultId: ResourceId }),
  query: z.strictObject({
    after: z
      .string()
      .max(600)
      .refine((cursor) => movementKey.test(keyOf(cursor)), 'This is not a `next` value of this statement.')
      .describe('`next` of the previous page.')
      .optional(),
    limit: z.coerce.number().int().min(1).max(MAX_MOVEMENTS).describe('Number of movements on a page.').default(100),
  }),
  responses: { 200: Enveloped(StatementResource) },
  errors: ['VAULT_NOT_FOUND'],
  async handle({ params: { vaultId }, query: { after, limit }, caller }, api) {
    const part = { vaultId, after: after === undefined ? undefined : keyOf(after), limit };
    const statement = await readVaultStatement({ ...api, db: api.books }, caller, part);
    return ok(enveloped(presentStatement(vaultId, statement), await api.readingTime()));
  },
});

const ResidualReasonEnum = enumSchema('RemainReason', residualReasons, {
  unsolicited: 'no transaction of the vault made it, or it brought an NFT that was already in the vault',
  deposit: 'an asset or investment before the settlement. From `settlesBy`, its owner can take it back alone.',
  stake: 'staked tokens. Their owner can always get them back.',
  in_settlement: 'tokens and ADA that the settlement is paying out',
  liquidity_share: 'the liquidity share of the settlement',
  vault_token: 'the NFT that identifies the vault. Its policy has ended, so nothing can burn it.',
  reference_token: 'the token whose datum describes the vault token (CIP-68). Nothing can burn it.',
  asset_without_recipient: 'an asset without a named recipient when the vault ended',
  in_custody: 'assets and ADA of the vault',
  kept_share: "the settlement's share for deposits that their owners took back alone",
  redeemed_tokens: 'vault tokens that no longer circulate. Nothing can burn them.',
  pot: 'the amount that holders can claim, with the tokens they returned for it. It stays after the end if nobody is named for the rest.',
  unclaimed_lovelace: 'unclaimed ADA without a named recipient',
});

/** An output that the ledger holds at an address of a vault. */
const ResidualOutputResource = z
  .object({
    transactionHash: z.string().describe('Hash of the transaction that made the output.'),
    index: z.int().describe('Index of the output in that transaction, starting at 0.'),
    address: z.string().describe('Address that holds the output.'),
    place: VaultAddressKindEnum,
    reason: ResidualReasonEnum.describe('Reason why it is still on the ledger.'),
    heldSince: Timestamp.describe('Time of its block. For an unsolicited output: the time at which it was found.'),
    ...BalanceFields,
  })
  .meta({ id: 'Remain' });

const listResidualOutputsRoute = route({
  method: 'get',
  path: '/vaults/:vaultId/remains',
  operationId: 'listRemains',
  kind: 'report',
  summary: 'List the remaining outputs of a vault',
  description:
    'Lists every unspent output at the addresses of a vault in any state, with the reason why it is there. After ' +
    'the end of a vault, it names everything that remains.',
  success: 'A page of unspent outputs',
  permission: { resource: 'vault', action: 'READ', attributes: vaultAttributes },
  params: z.strictObject({ vaultId: ResourceId }),
  query: z.strictObject({
    ...pageQuery(['heldSince', 'lovelace']),
    place: CaseInsensitive(vaultAddressKinds).optional(),
  }),
  responses: { 200: EnvelopedPage(z.object({ remains: z.array(ResidualOutputResource) })) },
  errors: ['VAULT_NOT_FOUND'],
  async handle({ params: { vaultId }, query, caller }, api) {
    const page = pageOf(query, 'heldSince:asc');
    const filter = { vaultId, place: query.place };
    const { residualOutputs, count } = await listResidualOutputs({ ...api, db: api.books }, caller, filter, page);
    const data = { remains: residualOutputs.map(presentResidualOutput) };
    return ok(envelopedPage(data, paginationOf(query, count), await api.readingTime()));
  },
});

function presentResidualOutput({
  utxo,
  place,
  reason,
  heldSince,
}: ResidualOutput): z.input<typeof ResidualOutputResource> {
  const { txHash: transactionHash, index, address } = utxo;
  return { transactionHash, index, address, place, reason, heldSince: isoText(heldSince), ...presentBalance(utxo) };
}

/** What the books of the vaults say. */
export const bookRoutes = [readStatementRoute, listResidualOutputsRoute];
