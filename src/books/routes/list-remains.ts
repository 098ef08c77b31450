import { z } from 'zod';
import { isoText } from '../../platform/units/instant.ts';
import { remainReasons } from '../rules/remains.ts';
import { vaultAddressKinds } from '../../vaults/rules/vault-address.ts';
import { listRemains, type Remain } from '../list-remains.ts';
import { vaultAttributes } from '../../vaults/vault-access.ts';
import { route } from '../../api-context.ts';
import { EnvelopedPage, envelopedPage } from '../../platform/http/envelope.ts';
import { enumSchema } from '../../platform/http/enums.ts';
import { CaseInsensitive, ResourceId, Timestamp } from '../../platform/http/fields.ts';
import { pageOf, pageQuery, paginationOf } from '../../platform/http/paging.ts';
import { ok } from '../../platform/http/route-response.ts';
import { VaultPlaceEnum } from '../../ledger-follower/unsolicited/routes/response.ts';
import { BalanceFields, presentBalance } from './response.ts';

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

export const listRemainsRoute = route({
  method: 'get',
  path: '/vaults/:vaultId/remains',
  operationId: 'listRemains',
  ofBooks: true,
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
