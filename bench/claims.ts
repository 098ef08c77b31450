import { setTimeout } from 'node:timers/promises';
import { buildBalanced } from '../src/cardano/build/funding.ts';
import { deriveKeys } from '../src/cardano/keys/keys.ts';
import { witnessSetOf, signTransaction } from '../src/cardano/keys/witnesses.ts';
import { createLedger } from '../src/cardano/ledger/ledger.ts';
import { slotAt } from '../src/cardano/ledger/slots.ts';
import { keyAddress } from '../src/cardano/scripts/address.ts';
import { instant } from '../src/platform/units/time.ts';
import { lovelace } from '../src/platform/units/money.ts';
import { attemptClaim, type Claim } from '../test/claims/attempt-claim.ts';
import { heldAt } from '../test/claims/vault-with-pot.ts';
import { claimsAddress, openedPot } from '../test/governance/opened-pot.ts';
import { settledVault } from '../test/governance/settled-vault.ts';
import { until } from '../test/stack/until.ts';
import { fundWallet, holdings } from '../test/vault-lifecycle/participants.ts';
import { advance } from '../test/vault-lifecycle/vault-requests.ts';
import { machine, machineLoad } from './machine.ts';
import { quantile, quantiles } from './quantiles.ts';
import { type BenchStack, benchStack } from './stack.ts';

const ADA = 1_000_000n;
const DAY = 86_400;
/** A day after the settlement, without a decision. */
const END = { type: 'PROGRAMMED', duration: '01:00:00' };
/** A tenth of it is the pot: with 1,000 ADA, as many outputs as a pot has at most. */
const INVESTED_ADA = 10_000;
const CONNECTIONS = 36;
/** Before a wallet asks again while others hold all outputs of the pot. */
const PAUSE_MS = 500;
/** Recipients of one transaction that hands out tokens. */
const RECIPIENTS = 100;
const root =
  'legal winner thank year wave sausage worth useful legal winner thank year wave sausage worth useful legal winner thank year wave sausage worth title';

type Print = (line: string) => void;
type Holder = ReturnType<typeof holder>;

const keys = deriveKeys(root, 0);

function holder(number: number) {
  const key = keys.vaultKey(number);
  const address = keyAddress(key.keyHash, 0);
  return { key, keyHash: key.keyHash, address, sign: (unsigned: string) => witnessSetOf(unsigned, [key]) };
}

/** Wallets that claim at the same time from one pot, each until it is paid; throws unless the sum is exact to the lovelace. */
export async function claims(print: Print, count = '1000'): Promise<void> {
  await using stack = await benchStack();
  print(`${machine()} before the stack is loaded`);
  const [contributor, investor] = [holder(1), holder(2)];
  const holders = Array.from({ length: Number(count) }, (_, number) => holder(10 + number));
  const terms = { vault: { termination: END }, investedAda: INVESTED_ADA };
  const { id: vaultId } = await settledVault(stack, { contributor, investor }, terms);
  await fundWallet(stack, investor, { ada: 3 * holders.length });
  await handOut(stack, vaultId, { source: investor, holders });
  await advance(stack, DAY);
  const opened = await openedPot(stack, vaultId);
  const { paid, latencies, attempts, seconds } = await claimAll(stack, vaultId, holders);
  print(`${count} claims by ${CONNECTIONS} at a time: ${seconds.toFixed(1)} s, ${attempts} attempts; ${machineLoad()}`);
  print(`from the first request of a wallet to its accepted signature: ${quantiles(latencies)}`);
  await printCosts(stack, vaultId, print);

  const sum = paid.reduce((total, { payoutLovelace }) => total + BigInt(payoutLovelace), 0n);
  const left = await openedPot(stack, vaultId);
  const atClaims = await heldAt(stack, await claimsAddress(stack, vaultId), opened.ftUnit);
  print(`paid ${sum} of ${opened.pot} lovelace; counted as left: ${left.pot}, ${left.circulating} tokens`);
  print(
    `on the ledger: ${atClaims.lovelace - opened.float} lovelace besides what was lent, in ${atClaims.outputs} outputs`,
  );
  if (sum + left.pot !== opened.pot || atClaims.lovelace - opened.float !== left.pot)
    throw new Error('the claims are not exact');
}

interface Distribution {
  readonly source: Holder;
  readonly holders: readonly Holder[];
}

/** Gives each holder a part of the source's tokens, no two the same, with the ADA to pay for a claim. */
async function handOut(stack: BenchStack, vaultId: string, { source, holders }: Distribution): Promise<void> {
  const { rows } = await stack.sql.query<{ unit: string }>('select ft_unit as unit from vaults where id = $1', [
    vaultId,
  ]);
  const ftUnit = rows[0]?.unit ?? '';
  const part = ((await holdings(stack, source.address)).get(ftUnit) ?? 0n) / BigInt(holders.length);
  const tokens = holders.map((_, number) => part - BigInt(number));
  const ledger = createLedger({ baseUrl: stack.ledgerUrl, timeoutMs: 10_000 });
  const [parameters, anchor] = await Promise.all([ledger.protocolParameters(), ledger.slotAnchor()]);
  const ttlSlot = slotAt(anchor, instant(anchor.time + 3_600_000));
  for (let first = 0; first < holders.length; first += RECIPIENTS) {
    const outputs = holders.slice(first, first + RECIPIENTS).map(({ address }, index) => {
      return { address, lovelace: lovelace(2n * ADA), assets: new Map([[ftUnit, tokens[first + index] ?? 0n]]) };
    });
    const payer = { address: source.address, keyHash: source.keyHash, utxos: await ledger.utxos(source.address) };
    const built = buildBalanced(parameters, payer, { outputs, ttlSlot });
    const sent = await ledger.submit(signTransaction(built.cbor, [source.key]));
    if (sent.kind !== 'accepted') throw new Error(`tokens were not handed out: ${JSON.stringify(sent)}`);
    await until(() => ledger.transaction(built.hash), { what: 'tokens to be handed out' });
  }
}

/** Claims for each holder, again whenever another claim was faster; waits until all are paid. */
async function claimAll(stack: BenchStack, vaultId: string, holders: readonly Holder[]) {
  const began = performance.now();
  const queue = holders.map((one) => ({ one, since: 0 }));
  const paid: Claim[] = [];
  const latencies: number[] = [];
  let attempts = 0;
  async function connection(): Promise<void> {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const since = next.since || performance.now();
      attempts += 1;
      const { signed, code } = await attemptClaim(stack.api, vaultId, next.one);
      if (signed) {
        paid.push(signed);
        latencies.push(performance.now() - since);
      } else {
        if (code !== 'POT_IN_USE' && code !== 'CLAIM_OUTPUT_TAKEN') throw new Error(`a claim was refused with ${code}`);
        if (code === 'POT_IN_USE') await setTimeout(PAUSE_MS);
        queue.push({ one: next.one, since });
      }
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  await untilPaid(stack, vaultId, holders.length);
  return { paid, latencies, attempts, seconds: (performance.now() - began) / 1000 };
}

/** Waits until every claim is in a block, as long as further ones get there. */
async function untilPaid({ sql }: BenchStack, vaultId: string, count: number): Promise<void> {
  const paid = async () => {
    const { rows } = await sql.query<{ count: number }>(
      "select count(*)::int from claims where vault_id = $1 and status = 'PAID'",
      [vaultId],
    );
    return rows[0]?.count ?? 0;
  };
  for (let before = -1; before < count;) {
    const known = before;
    const further = async () => {
      const now = await paid();
      return now > known ? now : null;
    };
    before = await until(further, { what: 'further claims to be in a block' });
  }
}

async function printCosts({ sql }: BenchStack, vaultId: string, print: Print): Promise<void> {
  const { rows } = await sql.query<{ fee: string; inputs: number; bytes: number }>(
    `select fee, jsonb_array_length(inputs) as inputs, length(signed_cbor) / 2 as bytes
     from chain_transactions where vault_id = $1 and kind = 'claim' and state in ('confirmed', 'final')`,
    [vaultId],
  );
  const of = (samples: readonly number[]) =>
    `${Math.min(...samples)} to ${Math.max(...samples)}, median ${quantile(samples, 0.5)}`;
  print(`fee in lovelace: ${of(rows.map(({ fee }) => Number(fee)))}`);
  print(`bytes: ${of(rows.map(({ bytes }) => bytes))}; inputs: ${of(rows.map(({ inputs }) => inputs))}`);
}
