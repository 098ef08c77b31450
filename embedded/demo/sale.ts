import { requireData } from '../../client/src/index.ts';
import type { Service } from './service.ts';
import type { Offer } from './vote.ts';
import { ada, print, sign, printWhenInBlock, type Wallet } from './wallets.ts';

/** Freezes the approved sale, collects the signatures, and executes it: one transaction exchanges asset and price. */
export async function executeSale(
  service: Service,
  { vaultId, proposalId }: { readonly vaultId: string; readonly proposalId: string },
  cosigners: readonly [Wallet, ...Wallet[]],
  { policyId, assetName, price, buyer }: Offer,
): Promise<void> {
  const [executor] = cosigners;
  const action = { type: 'sell_asset', details: { policy_id: policyId, asset_name: assetName, price } };
  const body = { executing_user: executor.address, cosigners: cosigners.map(({ address }) => address), action };
  const params = { path: { proposalId } };
  const { data } = requireData(await service.api.POST('/api/v1/proposals/{proposalId}/executions', { params, body }));
  const { transaction, multiSignature } = data;
  const { hash } = transaction;
  print(`${executor.name} froze the sale: ${multiSignature.threshold} have to sign
  transaction ${hash}`);

  for (const signer of [...cosigners, buyer]) {
    await sign(service, signer, transaction);
    print(`  ${signer.name} signed it${signer === buyer ? ' as the buyer' : ''}`);
  }
  requireData(await service.api.POST('/api/v1/proposals/{proposalId}/execute', { params, body }));
  await printWhenInBlock(
    service,
    vaultId,
    hash,
    `${executor.name} executed it: ${assetName} to ${buyer.name}, ${ada(price)} into custody`,
  );
  await service.event({ proposalId }, 'PROPOSAL_STATUS_CHANGED', (event) => event.data.status === 'EXECUTED');
  print('  The proposal is EXECUTED');
}
