import { expect } from '@jest/globals';
import { expectStatement } from '../books/expect-books.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import {
  fundWallet,
  holdings,
  type Person,
  submitWitnesses,
  type UnsignedTransaction,
  waitForTransaction,
} from '../vault-lifecycle/participants.ts';
import {
  execute,
  executeBody,
  freezeAndSign,
  type GovernedVault,
  passedProposal,
  waitForProposal,
} from './execution-requests.ts';
import { rollBackFrom } from '../vault-lifecycle/roll-back-transactions.ts';
import { scanUnsolicited } from '../vaults/unsolicited-scan.ts';
import { openedPot } from './opened-pot.ts';
import { errorResponse } from '../stack/error-response.ts';

const ADA = 1_000_000;

interface Step {
  readonly name: string;
  readonly status: string;
  readonly transactionHash: string;
  readonly reason: string | null;
  readonly at: string | null;
}

interface Vault {
  readonly status: string;
  readonly terminatedAt: string | null;
  readonly termination: Readonly<Record<'endedBecause' | 'pot' | 'unclaimedAdaTo' | 'remainingAssetsTo', unknown>> & {
    readonly claimDeadline: string | null;
    readonly remainingAssets: readonly { readonly assetId: string; readonly address: string }[];
    readonly steps: readonly Step[];
  };
}

async function readVault({ api }: TestStack, vaultId: string): Promise<Vault> {
  return (await api.get<{ data: Vault }>(`/vaults/${vaultId}`)).body.data;
}

/** The end of a vault as everybody reads it; `named` are the wallets that get an asset each. */
export async function readEnd(stack: TestStack, vaultId: string) {
  const { status, termination } = await readVault(stack, vaultId);
  const { endedBecause, pot, unclaimedAdaTo, remainingAssets, steps } = termination;
  const named = remainingAssets.map(({ address }) => address);
  return { status, endedBecause, pot, unclaimedAdaTo, named, steps: steps.map((step) => step.status) };
}

/** All that is read of the end of a vault: each step as [name, status, reason], and by name. */
export async function readTermination(stack: TestStack, vaultId: string) {
  const { terminatedAt, termination } = await readVault(stack, vaultId);
  const { steps } = termination;
  return {
    ...termination,
    terminatedAt,
    steps: steps.map(({ name, status, reason }) => [name, status, reason]),
    stepOf: (name: string) => steps.find((step) => step.name === name),
  };
}

/** Rolls the ledger back when the newest transaction of a kind is in a block. */
export async function rollBackOnce({ sql, ledger }: TestStack, vaultId: string, kind: string): Promise<void> {
  const query =
    "select 1 from chain_transactions where vault_id = $1 and kind = $2 and state in ('confirmed', 'final')";
  await until(async () => (await sql.query(query, [vaultId, kind])).rows.length > 0, { what: `${kind} to land` });
  await ledger.rollback(2);
}

/** A holder asks for a share in return for so many whole tokens, or for all that the wallet has. */
export const requestClaim = ({ api }: TestStack, vaultId: string, { address }: Person, amount?: number) =>
  api.post<{ data: { payoutLovelace: string; transaction: UnsignedTransaction } }>(`/vaults/${vaultId}/claims`, {
    walletAddress: address,
    amount,
  });

/** As `requestClaim`, signed and final; returns the hash and what was paid. */
export async function claimShare(stack: TestStack, vaultId: string, holder: Person, amount?: number) {
  const { status, body } = await requestClaim(stack, vaultId, holder, amount);
  if (status !== 201) throw new Error(`the claim was refused: ${JSON.stringify(body)}`);
  const { payoutLovelace, transaction } = body.data;
  await submitWitnesses(stack, holder, transaction);
  await waitForTransaction(stack, transaction.hash, ['final']);
  const { claimDeadline } = await readTermination(stack, vaultId);
  const claims = [{ transactionHash: transaction.hash, claimDeadline }];
  const listed = await stack.api.get(`/vaults/${vaultId}/claims?sort=createdAt:desc&limit=1`);
  expect(listed).toMatchObject({ body: { data: { claims } } });
  return { hash: transaction.hash, payout: BigInt(payoutLovelace) };
}

export async function coinAt(stack: TestStack, address: string): Promise<bigint> {
  return (await holdings(stack, address)).get('lovelace') ?? 0n;
}

export const readStatus = async ({ sql }: TestStack, vaultId: string) => {
  const rows = await sql.run<{ status: string; because: string | null }>`select status, failed_because as because
      from vaults where id = ${vaultId}`;
  return rows[0];
};

export async function assetOf({ sql }: TestStack, vaultId: string) {
  const [asset] = await sql.run<{ policyId: string; nameHex: string }>`select policy_id as "policyId",
      asset_name as "nameHex" from assets where vault_id = ${vaultId}`;
  if (!asset) throw new Error('the vault has no asset');
  return asset;
}

/** Sells the villa while the claims run, with a rollback of the sale; returns what that brings into the pot. */
export async function sellWhileEnding(stack: TestStack, governed: GovernedVault): Promise<bigint> {
  const { vaultId, villa, contributor, partner } = governed;
  await fundWallet(stack, partner, { ada: 800 });
  const name = { policy_id: villa.policyId, asset_name: 'Villa' };
  const propose = (details: object) =>
    stack.api.post(`/vaults/${vaultId}/proposals`, {
      proposer: contributor.address,
      proposal_details: { title: 'Late', description: '', ...details },
    });
  const purchase = { action_type: 'buy_asset', affected_assets: [name], terms: { price: ADA } };
  expect(await propose(purchase)).toMatchObject(errorResponse(400, 'ONLY_SALES_WHILE_ENDING'));
  const setDeadline = (days: number) =>
    stack.sql.query(
      "update terminations set claim_deadline = claim_deadline + $2 * interval '1 day' where vault_id = $1",
      [vaultId, days],
    );
  // Its three phases take six days.
  await setDeadline(-85);
  const tooLate = await propose({ action_type: 'sell_asset', affected_assets: [name] });
  expect(tooLate).toMatchObject(errorResponse(400, 'CLAIMS_END_BEFORE_EXECUTION'));
  await setDeadline(85);

  const terms = { price: 500 * ADA, buyer_address: partner.address };
  const details = { action_type: 'sell_asset', affected_assets: [name], terms };
  const setPrice = (ada: number) => stack.ledger.setPrice({ policyId: villa.policyId, lovelace: String(ada * ADA) });
  await setPrice(500);
  const id = await passedProposal(stack, governed, { details, required: 0 });
  const body = executeBody(contributor, [], { type: 'sell_asset', details: { ...name, price: 500 * ADA } });
  // Those who have claimed have left their part of the asset to the others, who must not take it for less than the market.
  await setPrice(501);
  const refused = await stack.api.post(`/proposals/${id}/executions`, body);
  expect(refused).toMatchObject(errorResponse(400, 'PRICE_BELOW_VALUATION'));
  await setPrice(500);
  const { hash } = await freezeAndSign(stack, id, body, [partner]);
  // The ledger drops what it accepts: otherwise the sale might be final before the claim is asked for.
  const keepFromBlocks = () => stack.ledger.faults({ drop: 1_000_000 });
  const letIntoBlocks = () => stack.ledger.faults({});
  await keepFromBlocks();
  expect(await execute(stack, id, body)).toMatchObject({ status: 200 });
  const atClaims = await openedPot(stack, vaultId);
  // Nobody is paid from a pot that may grow or shrink by a rollback.
  const early = () => requestClaim(stack, vaultId, contributor, 1);
  expect(await early()).toMatchObject(errorResponse(400, 'CLAIMS_AWAIT_SALE'));
  expect((await readTermination(stack, vaultId)).stepOf('claims')?.reason).toBe('executions_not_final');
  await letIntoBlocks();
  await waitForProposal(stack, id, { status: 'EXECUTED' });
  await keepFromBlocks();
  await rollBackFrom(stack, [hash]);
  expect(await early()).toMatchObject(errorResponse(400, 'CLAIMS_AWAIT_SALE'));
  await letIntoBlocks();
  // It counts once, and not before it is final.
  await waitForTransaction(stack, hash, ['final']);
  const rows = await stack.sql.run<{ coin: string }>`select outputs -> 0 ->> 'lovelace' as coin
      from chain_transactions where hash = ${hash}`;
  const brought = BigInt(rows[0]?.coin ?? 0);
  expect(brought).toBeGreaterThan(BigInt(500 * ADA));
  const isCredited = async () => (await openedPot(stack, vaultId)).pot === atClaims.pot + brought;
  await until(isCredited, { what: 'the price to be in the pot' });
  return brought;
}

/** Stakes the villa at an address outside of the vault, or returns it from there. */
export async function moveStaked(stack: TestStack, governed: GovernedVault, pool: Person, direction: 'out' | 'back') {
  const { custody, villa, contributor } = governed;
  const name = { policy_id: villa.policyId, asset_name: 'Villa' };
  const terms = { direction, staking_address: pool.address };
  const details = { action_type: 'stake_asset', affected_assets: [name], terms };
  const id = await passedProposal(stack, governed, { details, required: 0 });
  const body = executeBody(contributor, [], { type: 'stake_asset', details: name });
  if (direction === 'back') await freezeAndSign(stack, id, body, [pool]);
  expect(await execute(stack, id, body)).toMatchObject({ status: 200, body: { status: 'executed' } });
  const { execution } = await waitForProposal(stack, id, { status: 'EXECUTED' });
  await waitForTransaction(stack, execution?.transaction.hash ?? '', ['final']);
  const at = direction === 'out' ? pool.address : custody;
  expect((await holdings(stack, at)).get(villa.unit)).toBe(1n);
}

/** A stranger gets back what they have sent to a vault before it ended; a cosigner signs, if its custody has any. */
export async function returnGift(stack: TestStack, vaultId: string, to: Person, cosigner?: Person): Promise<void> {
  await scanUnsolicited(stack);
  const { remains } = await expectStatement(stack, vaultId);
  const gifts = remains.filter(({ reason }) => reason === 'unsolicited');
  expect(gifts).toMatchObject([{ place: 'custody', lovelace: String(20 * ADA) }]);
  const outputs = gifts.map(({ transactionHash: txHash, index }) => ({ txHash, index }));
  const { status, body } = await stack.api.post<{ data: { transaction: UnsignedTransaction } }>(
    `/vaults/${vaultId}/unsolicited/returns`,
    { outputs, address: to.address },
  );
  expect({ status, body }).toMatchObject({ status: 201 });
  const { transaction } = body.data;
  if (cosigner) await submitWitnesses(stack, cosigner, transaction);
  await waitForTransaction(stack, transaction.hash, ['final']);
}
