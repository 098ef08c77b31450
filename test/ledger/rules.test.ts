import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Answer, type TestLedger, openLedger } from './chain.ts';
import {
  type Draft,
  FEE,
  atLeast,
  both,
  funded,
  newWallet,
  notAfter,
  notBefore,
  scriptAddress,
  signatureOf,
  signed,
} from './transactions.ts';

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await openLedger();
});
afterAll(() => ledger.close());

function expectRefusal(answer: Answer, rule: string): void {
  expect(answer).toEqual({
    status: 400,
    body: { status_code: 400, error: 'Bad Request', message: expect.stringContaining(rule) },
  });
}

/** A payment from one UTxO that differs from a valid one only in what the test changes. */
async function payment(changes: Partial<Draft> = {}) {
  const payer = newWallet();
  const payee = newWallet();
  const coin = await funded(ledger, payer.address);
  const to = [{ address: payee.address, lovelace: coin.lovelace - (changes.fee ?? FEE) }];
  return { payer, payee, coin, ...signed({ from: [coin], to, signers: [payer.key], ...changes }) };
}

/** A spend of one UTxO at the address of a native script. */
async function scriptSpend(script: ReturnType<typeof atLeast>, changes: Partial<Draft>) {
  const coin = await funded(ledger, scriptAddress(script));
  const to = [{ address: newWallet().address, lovelace: coin.lovelace - FEE }];
  return signed({ from: [coin], to, signers: [], scripts: [script], ...changes });
}

test('a valid payment is accepted under the hash its builder computed', async () => {
  const { hash, cbor } = await payment();
  expect(await ledger.submit(cbor)).toEqual({ status: 200, body: hash });
});

test('too few signatures: a 2-of-3 script needs two signatures; none or one is refused', async () => {
  const owners = [newWallet(), newWallet(), newWallet()];
  const script = atLeast(2, owners);
  for (const count of [0, 1]) {
    const spend = await scriptSpend(script, { signers: owners.slice(0, count).map((owner) => owner.key) });
    expectRefusal(await ledger.submit(spend.cbor), 'ScriptWitnessNotValidatingUTXOW');
  }
  const spend = await scriptSpend(script, { signers: owners.slice(1).map((owner) => owner.key) });
  expect(await ledger.submit(spend.cbor)).toEqual({ status: 200, body: spend.hash });
});

test('wrong key: a payment that is unsigned or signed by another key is refused', async () => {
  const stranger = await payment({ signers: [newWallet().key] });
  expectRefusal(await ledger.submit(stranger.cbor), 'MissingVKeyWitnessesUTXOW');
  const nobody = await payment({ signers: [] });
  expectRefusal(await ledger.submit(nobody.cbor), 'MissingVKeyWitnessesUTXOW');
});

test('missing script: a spend without its script in the witnesses is refused', async () => {
  const owner = newWallet();
  const spend = await scriptSpend(atLeast(1, [owner]), { signers: [owner.key], scripts: [] });
  expectRefusal(await ledger.submit(spend.cbor), 'MissingOrExtraneousScriptWitnessesUTXOW');
});

test('time lock: a UTxO locked until later cannot be spent earlier or with a false validity start', async () => {
  const owner = newWallet();
  const { slot } = await ledger.tip();
  const script = both(signatureOf(owner), notBefore(slot + 5_000));
  const early = await scriptSpend(script, { signers: [owner.key], since: slot });
  expectRefusal(await ledger.submit(early.cbor), 'ScriptWitnessNotValidatingUTXOW');
  const pretended = await scriptSpend(script, { signers: [owner.key], since: slot + 5_000 });
  expectRefusal(await ledger.submit(pretended.cbor), 'OutsideValidityIntervalUTxO');

  const opened = await scriptSpend(both(signatureOf(owner), notBefore(slot - 100)), {
    signers: [owner.key],
    since: slot - 100,
  });
  expect(await ledger.submit(opened.cbor)).toEqual({ status: 200, body: opened.hash });
});

test('time lock: a UTxO that can be spent only before an end cannot be spent without a TTL or with a later one', async () => {
  const owner = newWallet();
  const { slot } = await ledger.tip();
  const script = both(signatureOf(owner), notAfter(slot + 5_000));
  for (const until of [{}, { until: slot + 6_000 }]) {
    const spend = await scriptSpend(script, { signers: [owner.key], ...until });
    expectRefusal(await ledger.submit(spend.cbor), 'ScriptWitnessNotValidatingUTXOW');
  }
  const inTime = await scriptSpend(script, { signers: [owner.key], until: slot + 5_000 });
  expect(await ledger.submit(inTime.cbor)).toEqual({ status: 200, body: inTime.hash });
});

test('unbalanced value: outputs with more lovelace or assets than the inputs are refused', async () => {
  const to = [{ address: newWallet().address, lovelace: 100_000_000n }];
  expectRefusal(await ledger.submit((await payment({ to })).cbor), 'ValueNotConservedUTxO');

  const assets = { [`${'ab'.repeat(28)}4654`]: 1n };
  const conjured = [{ address: newWallet().address, lovelace: 100_000_000n - FEE, assets }];
  expectRefusal(await ledger.submit((await payment({ to: conjured })).cbor), 'ValueNotConservedUTxO');
});

test('fee: a fee that is too small is refused', async () => {
  expectRefusal(await ledger.submit((await payment({ fee: 160_000n })).cbor), 'FeeTooSmallUTxO');
});

test('min-ADA: an output below its minimum is refused', async () => {
  const { address } = newWallet();
  const to = [
    { address, lovelace: 500_000n },
    { address, lovelace: 99_500_000n - FEE },
  ];
  expectRefusal(await ledger.submit((await payment({ to })).cbor), 'BabbageOutputTooSmallUTxO');
});

test('size: a transaction of more than 16 KB is refused', async () => {
  const payer = newWallet();
  const coin = await funded(ledger, payer.address, 1_000_000_000n);
  const fee = 2_000_000n;
  const crowd = Array.from({ length: 600 }, () => ({ address: payer.address, lovelace: 1_000_000n }));
  const to = [...crowd, { address: payer.address, lovelace: coin.lovelace - 600_000_000n - fee }];
  const { cbor } = signed({ from: [coin], to, fee, signers: [payer.key] });
  expect(cbor.length).toBeGreaterThan(16_384);
  expectRefusal(await ledger.submit(cbor), 'MaxTxSizeUTxO');
});

test('double spend: a UTxO is spent once, whether the first spend is pending or confirmed', async () => {
  const { payer, coin, cbor } = await payment();
  const to = [{ address: payer.address, lovelace: coin.lovelace - FEE }];
  const second = signed({ from: [coin], to, signers: [payer.key] });
  expect((await ledger.submit(cbor)).status).toBe(200);
  expectRefusal(await ledger.submit(second.cbor), 'BadInputsUTxO');
  expectRefusal(await ledger.submit(cbor), 'BadInputsUTxO');
  await ledger.mine();
  expectRefusal(await ledger.submit(second.cbor), 'BadInputsUTxO');
  expectRefusal(await ledger.submit(cbor), 'BadInputsUTxO');
});

test('wrong network: an output to a mainnet address is refused', async () => {
  const to = [{ address: newWallet().mainnetAddress, lovelace: 100_000_000n - FEE }];
  expectRefusal(await ledger.submit((await payment({ to })).cbor), 'WrongNetwork');
});

test('TTL: a transaction is refused before its validity start and from its TTL slot on', async () => {
  const { slot } = (await ledger.get('/dev/clock')).body as { slot: number };
  expectRefusal(await ledger.submit((await payment({ until: slot })).cbor), 'OutsideValidityIntervalUTxO');
  expectRefusal(await ledger.submit((await payment({ since: slot + 1_000 })).cbor), 'OutsideValidityIntervalUTxO');
  const inTime = await payment({ until: slot + 1_000, since: slot });
  expect(await ledger.submit(inTime.cbor)).toEqual({ status: 200, body: inTime.hash });
});

test('TTL: an expired transaction leaves the mempool together with those that depend on it', async () => {
  const { slot, nowMs } = (await ledger.get('/dev/clock')).body as { slot: number; nowMs: number };
  const { payer, payee, coin, hash, cbor } = await payment({ until: slot + 60 });
  const child = signed({
    from: [{ hash, index: 0, lovelace: coin.lovelace - FEE }],
    to: [{ address: payer.address, lovelace: coin.lovelace - 2n * FEE }],
    signers: [payee.key],
  });
  await ledger.submit(cbor);
  await ledger.submit(child.cbor);
  expect(await ledger.mempoolSize()).toBe(2);

  await ledger.dev('/clock', { offsetMs: nowMs + 60_000 - Date.now() + 1_000 });
  await ledger.mine();

  expect(await ledger.mempoolSize()).toBe(0);
  expect((await ledger.api(`/txs/${hash}`)).status).toBe(404);
  expect((await ledger.api(`/txs/${child.hash}`)).status).toBe(404);
});

test('bytes that are not a transaction are refused', async () => {
  for (const bytes of ['', '00', '84a0a0f5f6', 'ff'.repeat(40)]) {
    expectRefusal(await ledger.submit(Buffer.from(bytes, 'hex')), 'DecoderFailure');
  }
});
