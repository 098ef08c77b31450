import { expect, test } from '@jest/globals';
import { testStack } from '../stack/test-stack.ts';
import { waitForWorkflowDetails } from '../stack/workflow-details.ts';
import { countOnLedger } from './kill-worker.ts';
import { contribute, fundWallet, invest, person, waitForTransaction } from './participants.ts';
import { advance, waitForVaultStatus, createVault } from './vault-requests.ts';
import { errorResponse } from '../stack/error-response.ts';

const submissionFaults = { submit429: 1, submit425: 1, drop: 1, submit500AfterAccept: 1 };

test('a vault waits through ledger faults and outages, reports what it waits for, and settles as usual', async () => {
  await using stack = await testStack();
  const [owner, investor] = [person(101), person(102)];
  const vaultId = await createVault(stack, owner.address);
  await waitForVaultStatus(stack, vaultId, 'ACTIVE');
  const policyId = await fundWallet(stack, owner, { ada: 100, assets: { Lamp: 1 } });
  await fundWallet(stack, investor, { ada: 200_000 });

  await stack.ledger.faults({ submit429: 1_000_000 });
  const contribution = await contribute(stack, vaultId, owner, { policyId, name: 'Lamp' });
  await waitForWorkflowDetails(stack, contribution.hash, 'Signed. Sending it to the ledger.');
  await stack.ledger.faults(submissionFaults);
  const hashes = [contribution.hash, (await invest(stack, vaultId, investor, 100_000_000_000)).hash];
  await stack.ledger.faults({ all: 'down' });
  const refused = await stack.api.post(`/vaults/${vaultId}/investments`, {
    walletAddress: investor.address,
    lovelace: 5_000_000,
  });
  expect(refused).toMatchObject(errorResponse(500, 'LEDGER_UNAVAILABLE'));
  await stack.ledger.faults(submissionFaults);
  for (const hash of hashes) await waitForTransaction(stack, hash, ['final']);

  await stack.ledger.faults(submissionFaults);
  await advance(stack, 7 * 86_400);
  await waitForVaultStatus(stack, vaultId, 'LOCKED');
  expect([...(await countOnLedger(stack, vaultId)).values()]).toEqual(Array(6).fill(1));
  const rows = await stack.sql.run<{ kind: string }>`select kind from chain_transactions
      where vault_id = ${vaultId} and state not in ('confirmed', 'final')`;
  expect(rows).toEqual([]);
});
