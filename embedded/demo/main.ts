/**
 * `npm run demo`: a vault from creation to settlement, and a sale that its holders vote on and execute. Uses REST only, against a
 * running `npm start`, with simulated wallets and a clock that is moved.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { holdingLines } from './holdings.ts';
import { fundsAt, sumUnit } from './ledger.ts';
import { createPeople, depositorsOf, type People } from './people.ts';
import { connectRest, type Rest } from './rest.ts';
import { executeSale } from './sale.ts';
import { advance, DAY, FT_DECIMALS, settlementOf, settleVault } from './settlement.ts';
import { fillVault } from './vault.ts';
import { endorse, type Offer, printTally, proposeSale, stake, vote, voteSigned } from './vote.ts';
import { ada, fund, print } from './wallets.ts';
import type { StackAddresses } from '../stack.ts';

interface Stack {
  readonly rest: Rest;
  readonly temporalUiUrl: string | null;
  readonly ledgerUrl: string;
}

try {
  await runDemo(await connect());
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function connect(): Promise<Stack> {
  const file = join(process.env['DATA_DIR'] ?? '.data', 'stack.json');
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Error(`${file} is not there: run \`npm start\` first, and leave it running`);
  });
  const { apiUrl, adminKey, ...addresses } = JSON.parse(text) as StackAddresses;
  return { ...addresses, rest: connectRest(apiUrl, adminKey) };
}

async function runDemo(stack: Stack): Promise<void> {
  const { rest, ledgerUrl } = stack;
  const people = await createPeople(rest);
  const filled = await fillVault(rest, stack.temporalUiUrl, people);
  const vault = await settleVault(rest, ledgerUrl, filled.vaultId, people);
  const { vaultId, paintings, dawn } = filled;
  const offer: Offer = { policyId: paintings, assetName: dawn, price: 1_000_000_000, buyer: people.margaret };
  const stakes = await stakeTokens(rest, vaultId, people);
  const proposalId = await passSale(stack, vaultId, people, offer);
  const gained = await executeApprovedSale(
    stack,
    { vaultId, proposalId, custody: vault.contractAddress },
    people,
    offer,
  );

  print(`custody holds ${ada(String(gained))} more; what everyone has in the end, on the ledger:`);
  const sold = { assetName: dawn, unit: paintings + Buffer.from(dawn).toString('hex'), buyer: people.margaret };
  const holders = { wallets: [...depositorsOf(people), people.margaret], stakes, custody: vault.contractAddress };
  for (const line of await holdingLines(ledgerUrl, settlementOf(vault), holders, sold)) print(line);
  print('done');
}

async function stakeTokens(rest: Rest, vaultId: string, { grace, edsger, barbara }: People) {
  return [
    { wallet: grace, scriptAddress: await stake(rest, vaultId, grace, 50_000) },
    { wallet: edsger, scriptAddress: await stake(rest, vaultId, edsger, 150_000) },
    { wallet: barbara, scriptAddress: await stake(rest, vaultId, barbara, 200_000) },
  ];
}

/** Proposes, endorses and votes; returns the id of the passed proposal. */
async function passSale(
  { rest, temporalUiUrl }: Stack,
  vaultId: string,
  { grace, edsger, barbara }: People,
  offer: Offer,
): Promise<string> {
  const proposalId = await proposeSale(rest, vaultId, barbara, offer);
  if (temporalUiUrl !== null)
    print(`  watch it at ${temporalUiUrl}/namespaces/default/workflows/proposal-${proposalId}`);
  await endorse(rest, proposalId, edsger);
  await vote(rest, proposalId, { voter: barbara, tokens: 200_000, vote: 'yes' });
  await voteSigned(rest, proposalId, { voter: edsger, tokens: 150_000, vote: 'yes' }, FT_DECIMALS);
  await vote(rest, proposalId, { voter: grace, tokens: 50_000, vote: 'no' });
  await advance(rest, vaultId, 7 * DAY, 'seven days pass: voting ends');
  await printTally(rest, proposalId);
  return proposalId;
}

/** Executes the sale after the lock phase; returns the lovelace that custody gained. */
async function executeApprovedSale(
  { rest, ledgerUrl }: Stack,
  { vaultId, proposalId, custody }: { vaultId: string; proposalId: string; custody: string },
  { edsger, barbara, margaret }: People,
  offer: Offer,
): Promise<bigint> {
  await advance(rest, vaultId, DAY, 'a day passes: the lock phase ends and the sale can be executed');
  await fund(rest, margaret);
  const inCustody = async () => sumUnit([await fundsAt(ledgerUrl, custody)], 'lovelace');
  const before = await inCustody();
  await executeSale(rest, proposalId, [barbara, edsger], offer);
  const gained = (await inCustody()) - before;
  if (gained !== BigInt(offer.price)) throw new Error(`custody holds ${gained} lovelace more`);
  return gained;
}
