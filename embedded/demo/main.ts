/**
 * `npm run demo`: a vault from creation to its end: settlement, a sale that its holders vote on and execute, and the liquidation, in
 * which each holder claims a share; then the books are compared with the ledger. Uses the typed client and follows events, against a
 * running `npm start`, with simulated wallets and a clock that is moved.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Decision, claim, liquidate, printEnd, reconcile, unstake } from './ending.ts';
import { holdingLines } from './holdings.ts';
import { fundsAt, sumUnit } from './ledger.ts';
import { createPeople, depositorsOf, type People } from './people.ts';
import { type Service, connectService, isUnreachable } from './service.ts';
import { executeSale } from './sale.ts';
import { advance, DAY, FT_DECIMALS, settlementOf, settleVault } from './settlement.ts';
import { fillVault } from './vault.ts';
import { endorse, type Offer, printTally, proposeSale, stake, vote, voteSigned } from './vote.ts';
import { ada, fund, print, type Wallet } from './wallets.ts';
import type { StackAddresses } from '../stack.ts';

interface Stack {
  readonly service: Service;
  readonly temporalUiUrl: string | null;
  readonly ledgerUrl: string;
}

try {
  await runDemo(await connect());
} catch (error) {
  const text = error instanceof Error ? error.message : String(error);
  const noStack = 'The stack does not respond. Run `npm start` first and leave it running.';
  process.stderr.write(`${isUnreachable(error) ? noStack : text}\n`);
  process.exitCode = 1;
}

async function connect(): Promise<Stack> {
  const file = join(process.env['DATA_DIR'] ?? '.data', 'stack.json');
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Error(`${file} does not exist. Run \`npm start\` first and leave it running.`);
  });
  const { apiUrl, adminKey, ...addresses } = JSON.parse(text) as StackAddresses;
  return { ...addresses, service: connectService({ baseUrl: apiUrl, apiKey: adminKey }) };
}

async function runDemo(stack: Stack): Promise<void> {
  const { service, ledgerUrl } = stack;
  const people = await createPeople(service);
  const filled = await fillVault(service, stack.temporalUiUrl, people);
  const vault = await settleVault(service, ledgerUrl, filled.vaultId, people);
  const { vaultId, paintings, dawn } = filled;
  const offer: Offer = { policyId: paintings, assetName: dawn, price: 1_000_000_000, buyer: people.margaret };
  const stakes = await stakeTokens(service, vaultId, people);
  const proposalId = await passSale(stack, vaultId, people, offer);
  const gained = await executeApprovedSale(
    stack,
    { vaultId, proposalId, custody: vault.contractAddress },
    people,
    offer,
  );

  const sold = { assetName: dawn, unit: paintings + Buffer.from(dawn).toString('hex'), buyer: people.margaret };
  const holders = { wallets: [...depositorsOf(people), people.margaret], stakes, custody: vault.contractAddress };
  const printHoldings = async () => {
    for (const line of await holdingLines(ledgerUrl, settlementOf(vault), holders, sold)) print(line);
  };
  print(`Custody holds ${ada(String(gained))} more. Current balances on the ledger:`);
  await printHoldings();
  await endVault(service, { vaultId, stakes, heir: people.margaret }, depositorsOf(people));
  print('Final balances on the ledger:');
  await printHoldings();
  await reconcile();
  print('done');
}

/** The holders decide to end the vault, and each returns their tokens for a share of what it has. */
async function endVault(service: Service, decision: Decision, owners: readonly Wallet[]): Promise<void> {
  const { vaultId, stakes } = decision;
  await liquidate(service, decision);
  for (const one of stakes) await unstake(service, vaultId, one);
  for (const owner of owners) await claim(service, vaultId, owner);
  await printEnd(service, vaultId);
}

async function stakeTokens(service: Service, vaultId: string, { grace, edsger, barbara }: People) {
  return [
    await stake(service, vaultId, grace, 50_000),
    await stake(service, vaultId, edsger, 150_000),
    await stake(service, vaultId, barbara, 200_000),
  ];
}

/** Proposes, endorses and votes; returns the id of the passed proposal. */
async function passSale(
  { service, temporalUiUrl }: Stack,
  vaultId: string,
  { grace, edsger, barbara }: People,
  offer: Offer,
): Promise<string> {
  const proposalId = await proposeSale(service, vaultId, barbara, offer);
  if (temporalUiUrl !== null)
    print(`  watch it at ${temporalUiUrl}/namespaces/default/workflows/proposal-${proposalId}`);
  await endorse(service, proposalId, edsger);
  await vote(service, proposalId, { voter: barbara, tokens: 200_000, vote: 'yes' });
  await voteSigned(service, proposalId, { voter: edsger, tokens: 150_000, vote: 'yes' }, FT_DECIMALS);
  await vote(service, proposalId, { voter: grace, tokens: 50_000, vote: 'no' });
  await advance(service, vaultId, 7 * DAY, 'Moved the clock by seven days: voting has ended');
  await printTally(service, proposalId);
  return proposalId;
}

/** Executes the sale after the lock phase; returns the lovelace that custody gained. */
async function executeApprovedSale(
  { service, ledgerUrl }: Stack,
  { vaultId, proposalId, custody }: { vaultId: string; proposalId: string; custody: string },
  { edsger, barbara, margaret }: People,
  offer: Offer,
): Promise<bigint> {
  await advance(service, vaultId, DAY, 'Moved the clock by a day: the sale can be executed');
  await fund(service, margaret);
  const inCustody = async () => sumUnit([await fundsAt(ledgerUrl, custody)], 'lovelace');
  const before = await inCustody();
  await executeSale(service, { vaultId, proposalId }, [barbara, edsger], offer);
  const gained = (await inCustody()) - before;
  if (gained !== BigInt(offer.price)) throw new Error(`custody holds ${gained} lovelace more`);
  return gained;
}
