import type { Rest } from './rest.ts';
import type { Offer } from './vote.ts';
import { ada, print, sign, printWhenInBlock, type UnsignedTransaction, type Wallet } from './wallets.ts';

interface Execution {
  readonly transaction: UnsignedTransaction;
  readonly multiSignature: { readonly signers: readonly string[]; readonly threshold: number };
}

/** Freezes the approved sale, collects the signatures, and executes it: one transaction exchanges asset and price. */
export async function executeSale(
  rest: Rest,
  proposalId: string,
  cosigners: readonly [Wallet, ...Wallet[]],
  { policyId, assetName, price, buyer }: Offer,
): Promise<void> {
  const [executor] = cosigners;
  const action = { type: 'sell_asset', details: { policy_id: policyId, asset_name: assetName, price } };
  const body = { executing_user: executor.address, cosigners: cosigners.map(({ address }) => address), action };
  const frozen = await rest.post<{ data: Execution }>(`/api/v1/proposals/${proposalId}/executions`, body);
  const { transaction, multiSignature } = frozen.data;
  const { hash } = transaction;
  print(`${executor.name} has the sale frozen: ${multiSignature.threshold} have to sign\n  transaction ${hash}`);

  for (const signer of [...cosigners, buyer]) {
    await sign(rest, signer, transaction);
    print(`  ${signer.name} signs it${signer === buyer ? ' as the buyer' : ''}`);
  }
  await rest.post(`/api/v1/proposals/${proposalId}/execute`, body);
  await printWhenInBlock(
    rest,
    hash,
    `${executor.name} executes it: ${assetName} to ${buyer.name}, ${ada(price)} into custody`,
  );
  await rest.until(async () => {
    const { data } = await rest.get<{ data: { status: string } }>(`/api/v1/proposals/${proposalId}`);
    return data.status === 'EXECUTED' ? data : null;
  });
  print('  the proposal is EXECUTED');
}
