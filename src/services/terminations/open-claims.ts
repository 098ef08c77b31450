import { claimsAddressOf, liquidityAddressOf } from '../../chain/scripts/script-addresses.ts';
import { type Instant, isoText, secondsAfter } from '../../domain/units/instant.ts';
import { lovelace } from '../../domain/units/money.ts';
import { lockTermination, openClaims } from '../../store/terminations.ts';
import { vaultTransactions } from '../../store/vault-transactions.ts';
import { getVault } from '../../store/vaults.ts';
import type { ServiceContext } from '../context.ts';
import { platformEventFields, publish } from '../publish.ts';
import { requireFtUnit } from '../vaults/require-vault-state.ts';
import { gatheredPot } from './gathered-pot.ts';
import { handedSurplus } from './handed-surplus.ts';

/** Lets holders claim their share of what was gathered, once all of it is final; does nothing when they can already. */
export async function openClaimsOf(
  { unitOfWork, networkId }: Pick<ServiceContext, 'unitOfWork' | 'networkId'>,
  { vaultId, now }: { readonly vaultId: string; readonly now: Instant },
): Promise<void> {
  await unitOfWork(async (work) => {
    const context = { ...work, now };
    const termination = await lockTermination(context.tx, vaultId);
    if (!termination || termination.claimsOpenedAt !== null) return;
    const vault = await getVault(context.tx, vaultId);
    const made = await vaultTransactions(context.tx, vaultId, ['gather_pot', 'hand_over']);
    const final = made.filter(({ state }) => state === 'final');
    const { pot: gathered, float } = gatheredPot(
      final.filter(({ kind }) => kind === 'gather_pot'),
      {
        sources: [vault.contractAddress, liquidityAddressOf(vault, networkId).address],
        claimsAddress: claimsAddressOf(vault, networkId).address,
        ftUnit: requireFtUnit(vault),
        ftSupply: vault.terms.ftSupply,
      },
    );
    const handedOver = final.filter(({ kind }) => kind === 'hand_over');
    const surplus = handedOver.reduce((sum, one) => sum + handedSurplus(one, vault), 0n);
    const pot = { ...gathered, lovelace: lovelace(gathered.lovelace + surplus) };
    const claimDeadline = secondsAfter(now, termination.claimSeconds);
    await openClaims(context, vaultId, { pot, float, claimDeadline });
    const data = {
      potLovelace: pot.lovelace.toString(),
      circulatingFtBaseUnits: pot.circulating.toString(),
      claimDeadline: isoText(claimDeadline),
    };
    const source = { ...platformEventFields(vaultId), transactionHash: null };
    await publish(context, { event: { type: 'CLAIMS_OPENED', ...source, data } });
  });
}
