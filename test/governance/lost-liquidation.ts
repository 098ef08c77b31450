import { expect } from '@jest/globals';
import { deriveKeys } from '../../src/cardano/keys/keys.ts';
import { witnessSetOf } from '../../src/cardano/keys/witnesses.ts';
import { vaultWorkflowId } from '../../src/platform/temporal/workflow-ids.ts';
import { canaries } from '../secrets/canaries.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { workflowDetails } from '../stack/workflow-details.ts';
import { sendAll, sendAllToSelf } from '../vault-lifecycle/direct-submission.ts';
import { type Person, waitForTransaction } from '../vault-lifecycle/participants.ts';
import { rollBackFrom } from '../vault-lifecycle/roll-back-transactions.ts';
import { advance, readVault } from '../vault-lifecycle/vault-requests.ts';
import { readTermination } from './ending-vault.ts';
import { execute, executeBody, type GovernedVault, passedProposal, waitForProposal } from './execution-requests.ts';
import { readStakeUsage } from './seed-stakes.ts';

const { operator } = deriveKeys(canaries.operatorMnemonic, 0);
const operatorWallet = {
  address: operator.address,
  sign: (unsignedTx: string) => witnessSetOf(unsignedTx, [operator]),
};

/**
 * Holders liquidate a vault, the operator has nothing to pay for what that begins, and a fork that is deeper than final has another
 * transaction of the operator instead: the vault is governed again. Returns the proposal, which can be executed again; needs a stack with a
 * lying ledger.
 */
export async function loseLiquidation(stack: TestStack, governed: GovernedVault, elsewhere: Person): Promise<string> {
  const { vaultId, contributor } = governed;
  const id = await passedProposal(stack, governed, { details: { action_type: 'liquidate' }, required: 0 });
  const answer = await execute(stack, id, executeBody(contributor, [], { type: 'liquidate', details: {} }));
  expect(answer).toMatchObject({ status: 200, body: { status: 'executed' } });
  const { tx_hash: hash } = answer.body.transaction;
  // Until the operator has nothing, the worker sees nothing of it: the transaction may be final before.
  const ofOperator = `/addresses/${operator.address}/utxos`;
  const hideOperator = () => {
    stack.liar.intercept(({ path }) => Promise.resolve(path.includes(ofOperator) ? 'lie' : null));
  };
  hideOperator();
  await waitForTransaction(stack, hash, ['confirmed', 'final']);
  await until(() => sendAll(stack, operatorWallet, elsewhere.address), { what: 'the operator to have nothing' });
  stack.liar.intercept(() => Promise.resolve(null));
  await waitForTransaction(stack, hash, ['final']);
  const isTried = async () =>
    (await workflowDetails(stack, vaultWorkflowId(vaultId))).includes('Failures of the step gather_pot');
  await until(isTried, { what: 'the vault to try what it cannot pay for' });
  await until(async () => (await lockedStakes(stack, vaultId)) === 0, { what: 'the stakes to be released' });

  const rows = await stack.sql.run<{ signed: string }>`select signed_cbor as signed from chain_transactions
      where hash = ${hash}`;
  stack.liar.withhold(hash, (signed) => Promise.resolve(signed === rows[0]?.signed));
  // A worker that has not heard of the fork would continue to end the vault with the money that the operator has in it: the end then continues.
  hideOperator();
  await rollBackFrom(stack, [hash]);
  stack.liar.intercept(() => Promise.resolve(null));
  await waitForProposal(stack, id, { status: 'PASSED' });
  // They are as they were before the vote was executed.
  expect(await lockedStakes(stack, vaultId)).toBe(2);
  // The fork has given the operator its money back: it could pay for what the vault must not begin now.
  await sendAllToSelf(stack, operatorWallet);
  stack.liar.letThrough(hash);
  await waitForTransaction(stack, hash, ['failed']);
  expect(await readVault(stack, vaultId)).toMatchObject({ status: 'LOCKED', phase: 'governance', holds: [] });
  expect(await readTermination(stack, vaultId)).toMatchObject({ reason: null, steps: [] });
  await waitForProposal(stack, id, { status: 'PASSED', phase: 'execution' });
  // Until its workflow tries once more.
  await advance(stack, 120);
  const isGoverned = async () => (await workflowDetails(stack, vaultWorkflowId(vaultId))).startsWith('Settled.');
  await until(isGoverned, { what: 'the workflow to govern the vault', deadlineMs: 60_000 });
  return id;
}

async function lockedStakes({ sql }: TestStack, vaultId: string): Promise<number> {
  const stakes = Object.values(await readStakeUsage(sql, vaultId));
  return stakes.filter(({ status }) => status === 'LOCKED').length;
}
