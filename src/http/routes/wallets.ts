import { z } from 'zod';
import { parseWalletAddress } from '../../chain/address.ts';
import { listPowers, type VaultPower } from '../../store/stake-listing.ts';
import { ok } from '../answer.ts';
import { route } from '../context.ts';
import { EnvelopedPage, envelopedPage } from '../envelope.ts';
import { AddressText, AmountText } from '../fields.ts';
import { pageOf, pageQuery, paginationOf } from '../paging.ts';
import { wholeTokens } from '../stake-presenter.ts';
import { listenerOf } from '../vault-reading.ts';

const VotingPower = z
  .object({
    vaultId: z.uuid(),
    /** In its script, or on the way to it. */
    staked: z.number(),
    stakedBaseUnits: AmountText,
    votingPower: z.number(),
    votingPowerBaseUnits: AmountText,
    usedPower: z.number(),
    usedPowerBaseUnits: AmountText,
  })
  .meta({ id: 'VotingPower' });

const { page, limit } = pageQuery(['vaultId']);

export const getVotingPower = route({
  method: 'get',
  path: '/wallets/:address/voting-power',
  operationId: 'readVotingPower',
  summary: 'What a wallet has staked in each vault, how much of it counts, and how much open votes use',
  permission: { resource: 'stake', action: 'READ' },
  params: z.strictObject({ address: AddressText }),
  query: z.strictObject({ page, limit }),
  responses: { 200: EnvelopedPage(z.object({ walletAddress: z.string(), powers: z.array(VotingPower) })) },
  errors: ['INVALID_ADDRESS', 'WRONG_NETWORK'],
  async handle({ params, query, caller }, { db, networkId, readingTime }) {
    const { address: wallet } = parseWalletAddress(params.address, networkId, 'address');
    const { powers, total } = await listPowers(
      db,
      { wallet, listener: listenerOf(caller) },
      pageOf(query, 'vaultId:asc'),
    );
    const data = { walletAddress: wallet, powers: powers.map(presentPower) };
    return ok(envelopedPage(data, paginationOf(query, total), await readingTime()));
  },
});

function presentPower({ vaultId, ftDecimals, staked, votingPower, usedPower }: VaultPower) {
  return {
    vaultId,
    staked: wholeTokens(staked, ftDecimals),
    stakedBaseUnits: staked.toString(),
    votingPower: wholeTokens(votingPower, ftDecimals),
    votingPowerBaseUnits: votingPower.toString(),
    usedPower: wholeTokens(usedPower, ftDecimals),
    usedPowerBaseUnits: usedPower.toString(),
  };
}
